// Dates against <chrono>, leap seconds against arithmetic.
#include <chrono>
#include <cstdlib>

#include "tests/grammar/formats/format_cases.h"

namespace maskloom {
namespace {

void Put(std::u32string* text, size_t at, size_t digits, int value) {
  for (size_t i = digits; i-- > 0; value /= 10) (*text)[at + i] = U'0' + value % 10;
}

TEST(FormatCalendar, AgreesWithChronoOnEveryDate) {
  const TextAutomaton& automaton = AutomatonOf("date");
  std::u32string text = U"0000-00-00";
  for (int year = 0; year < 10000; ++year) {
    Put(&text, 0, 4, year);
    for (int month = 0; month <= 13; ++month) {
      Put(&text, 5, 2, month);
      for (int day = 0; day <= 32; ++day) {
        Put(&text, 8, 2, day);
        const bool is_date =
            std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month),
                                        std::chrono::day(day))
                .ok();
        if ((automaton.Match(text) != 0) != is_date) FAIL() << ToUtf8(text);
      }
    }
  }
}

// Is hour:minute, seen under an offset of so many minutes, 23:59 in UTC?
bool IsLastMinute(int minute, int offset) { return (minute - offset + 2880) % 1440 == 1439; }

TEST(FormatCalendar, HasLeapSecondsWhereUtcIsAtItsLastMinute) {
  const TextAutomaton& times = AutomatonOf("time");
  const TextAutomaton& date_times = AutomatonOf("date-time");
  std::u32string time = U"00:00:60+00:00", at_home = U"1998-12-31T00:00:60+00:00";
  std::u32string day_later = U"1999-01-01T00:00:60+00:00", ordinary = U"1999-03-31T00:00:60+00:00";
  for (int minute = 0; minute < 1440; ++minute) {
    for (int offset = -1425; offset <= 1425; offset += 15) {
      const bool is_leap = IsLastMinute(minute, offset);
      for (std::u32string* text : {&time, &at_home, &day_later, &ordinary}) {
        const size_t at = text->size() - 14;
        Put(text, at, 2, minute / 60);
        Put(text, at + 3, 2, minute % 60);
        (*text)[at + 8] = offset < 0 ? U'-' : U'+';
        Put(text, at + 9, 2, std::abs(offset) / 60);
        Put(text, at + 12, 2, std::abs(offset) % 60);
      }
      EXPECT_EQ(times.Match(time) != 0, is_leap) << ToUtf8(time);
      EXPECT_EQ(date_times.Match(at_home) != 0, is_leap && offset <= 0) << ToUtf8(at_home);
      EXPECT_EQ(date_times.Match(day_later) != 0, is_leap && offset > 0) << ToUtf8(day_later);
      EXPECT_EQ(date_times.Match(ordinary), 0u) << ToUtf8(ordinary);
    }
  }
}

}  // namespace
}  // namespace maskloom
