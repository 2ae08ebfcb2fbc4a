// Files that are replaced whole: written beside their name and renamed over what is there.
//
// A process that is killed while it writes leaves a file NAME.part-PID-N behind. Who writes single
// files calls RemoveLeftOversOf before; who looks after a folder, RemoveIfLeftOver.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "grammar/base/status.h"

namespace maskloom {

// Makes the file at `path` hold exactly `bytes`: at every moment it is what it was before or all of
// the new, also after a crash. Where `path` is a symbolic link, what it leads to is replaced. No
// write raises SIGXFSZ: beyond a limit on the size of files it fails like any other.
// On error: kIo, and whatever was at `path` is as before; so it is where `path` is no regular file.
Status WriteFileAtomically(const std::string& path, std::span<const std::byte> bytes);

// Could WriteFileAtomically create its file beside `path` now? For those who are about to work for
// what they will write. On error: as that call, in the same words.
Status CheckFileCanBeWritten(const std::string& path);

// If `name` is that of a file that WriteFileAtomically is writing, or was when its process ended,
// returns the name that it is to get; else "".
std::string_view FileOfPart(std::string_view name);

// Removes the file at `path`, which FileOfPart knows, if nobody writes it any more: if it was
// not touched for an hour, or for a minute and this machine has no process of its number.
// (Processes of other machines or containers may share a folder.) Returns whether it was removed.
bool RemoveIfLeftOver(const std::string& path);
// Does so for all such files of `path`. Cost: reads its folder.
void RemoveLeftOversOf(const std::string& path);

}  // namespace maskloom
