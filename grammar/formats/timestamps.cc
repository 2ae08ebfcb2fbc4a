// Dates, times and durations: `date`, `time`, `date-time`, `duration`, and times without offset.
//
// The calendar is exact: days by month, 29 February by the Gregorian rule for the years 0000 to
// 9999. The only relation between distant parts of a text is that of leap seconds: second 60 exists
// where the time in UTC is 23:59, at the end of June or December (RFC 3339, section 5.7), so what
// may stand before and behind it depends on hour and minute:
//
//   1998-12-31T23:59:60Z   1998-12-31T15:59:60-08:00   1999-01-01T01:29:60+01:30
//
// but not 1998-12-31T22:59:60Z or 1998-03-15T23:59:60Z. A `time` has no date, so any day will do.
//
// For each local time there is one offset of either sign. To remember each of the 1,440 minutes of
// a day over the seconds, their fraction and the offset takes 11,000 states, as many as all of a
// usual schema; so leap seconds are read under the offsets that civil time has had since there are
// leap seconds: whole quarters of an hour. 00:00:60+00:01, which no clock has ever shown, is
// rejected.
#include <fmt/format.h>

#include <string>

#include "grammar/formats/definitions.h"

namespace maskloom {
namespace {

constexpr int kMinutesPerDay = 24 * 60;
constexpr int kLeapOffsetStep = 15;  // minutes

// Source: RFC 3339, sections 5.6 and 5.7. LeapSecondRules writes leap-at-home, the leap seconds
// whose date is the same in UTC, and leap-east, those that are a day later in local time.
constexpr std::string_view kTimestampRules = R"abnf(
date-time      = full-date "T" plain-time
               / year ( "-06-30" / "-12-31" ) "T" leap-at-home
               / year ( "-07-01" / "-01-01" ) "T" leap-east
full-time      = plain-time / leap-at-home / leap-east
plain-time     = minutes ":" sec59 [ secfrac ] offset
minutes        = hour23 ":" sec59
hour23         = %x30-31 DIGIT / "2" %x30-33
sec59          = %x30-35 DIGIT
secfrac        = "." 1*DIGIT
offset         = "Z" / ( "+" / "-" ) minutes
full-date      = year "-" month-day / leap-year "-02-29"
year           = 4DIGIT
month-day      = ( "01" / "03" / "05" / "07" / "08" / "10" / "12" ) "-" ( day29 / "30" / "31" )
               / ( "04" / "06" / "09" / "11" ) "-" ( day29 / "30" )
               / "02-" day28
day29          = day28 / "29"
day28          = "0" %x31-39 / "1" DIGIT / "2" %x30-38
leap-year      = 2DIGIT four / ( "00" / four ) "00"
four           = "0" ( "4" / "8" ) / ( "2" / "4" / "6" / "8" ) ( "0" / "4" / "8" )
               / ( "1" / "3" / "5" / "7" / "9" ) ( "2" / "6" )
)abnf";

// Source: RFC 3339, appendix A.
constexpr std::string_view kDurationRules = R"abnf(
duration   = "P" ( dur-date / dur-time / dur-week )
dur-second = 1*DIGIT "S"
dur-minute = 1*DIGIT "M" [dur-second]
dur-hour   = 1*DIGIT "H" [dur-minute]
dur-time   = "T" (dur-hour / dur-minute / dur-second)
dur-day    = 1*DIGIT "D"
dur-week   = 1*DIGIT "W"
dur-month  = 1*DIGIT "M" [dur-day]
dur-year   = 1*DIGIT "Y" [dur-month]
dur-date   = (dur-day / dur-month / dur-year) [dur-time]
)abnf";

std::string Minutes(int minutes) { return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60); }

// Returns rules leap-at-home and leap-east: every local time that is 23:59 in UTC under some offset
// in use, with that offset. Times of one hour stand together, so that the hour is read once.
std::string LeapSecondRules() {
  std::string home = "leap-at-home = ", east = "leap-east = ";
  for (int ahead = kLeapOffsetStep; ahead <= kMinutesPerDay; ahead += kLeapOffsetStep) {
    const bool is_last = ahead == kMinutesPerDay;
    const int local = ahead - 1;  // 23:59 in UTC, seen from `ahead` minutes east of it
    const std::string time = Minutes(local);
    std::string open, close;
    if (local % 60 < kLeapOffsetStep) open = "\"" + time.substr(0, 3) + "\" ( ";
    open += "\"" + time.substr(3) + ":60\" [ secfrac ] ";
    if (local % 60 == 59) close = " )";
    close += is_last ? "\n" : "\n  / ";
    const std::string west = "\"-" + Minutes(kMinutesPerDay - ahead) + "\"";
    home += open + (is_last ? "( \"Z\" / \"+00:00\" / " + west + " )" : west) + close;
    if (is_last) break;
    east += open + "\"+" + Minutes(ahead) + "\"";
    east += ahead + kLeapOffsetStep == kMinutesPerDay ? " )\n" : close;
  }
  return home + east;
}

Result<TextAutomaton> BuildTimestamp(std::string_view root) {
  return AutomatonOfAbnf(std::string(kTimestampRules) + LeapSecondRules(), root);
}

}  // namespace

Result<TextAutomaton> BuildDate() { return AutomatonOfAbnf(kTimestampRules, "full-date"); }
Result<TextAutomaton> BuildTime() { return BuildTimestamp("full-time"); }
Result<TextAutomaton> BuildDateTime() { return BuildTimestamp("date-time"); }
Result<TextAutomaton> BuildDuration() { return AutomatonOfAbnf(kDurationRules, "duration"); }

}  // namespace maskloom
