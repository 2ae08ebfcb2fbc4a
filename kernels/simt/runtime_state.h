// Streams, events and captures of the process. Used by the stand-in's own files.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "kernels/simt/runtime_api.h"

namespace simt {

using Clock = std::chrono::steady_clock;
using Operation = std::function<cudaError_t()>;

struct Capture;

// One record of an event: a place in a stream.
struct Mark {
  Stream* stream = nullptr;
  std::shared_ptr<Capture> capture;  // if it is a place in a graph
  bool is_done = false;
  Clock::time_point time;
};

// What is captured, in the order of the calls: an order that all dependencies allow.
struct Capture {
  Stream* origin = nullptr;
  std::vector<Operation> operations;
  std::vector<Stream*> unjoined;  // streams that were drawn in and not yet waited for
  bool is_invalid = false;
};

struct Stream {
  bool is_blocking = true;  // orders itself with the default stream
  std::deque<Operation> queue;
  std::shared_ptr<Capture> capture;
};
struct Event {
  std::shared_ptr<Mark> mark;
};
struct Graph {
  std::vector<Operation> operations;
};
struct GraphExec {
  std::vector<Operation> operations;
};

// The streams and errors of the process.
struct Runtime {
  Devices devices;
  int current_device = 0;
  Stream default_stream;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Event>> events;
  std::map<const void*, size_t> most_shared_bytes;  // of kernels that asked for more
  cudaError_t last_error = cudaSuccess;
  cudaError_t async_error = cudaSuccess;  // met by what ran, not yet returned
  std::mt19937_64 random;
};

Runtime& TheRuntime();

// What every call of the host holds.
std::lock_guard<std::recursive_mutex> Lock();

// Keeps `error` as the last one and returns it.
cudaError_t Return(cudaError_t error);
// Returns and forgets what went wrong in what ran.
cudaError_t TakeAsyncError();

Stream& Of(cudaStream_t stream);
bool IsKnown(cudaStream_t stream);
bool IsAnyCapturing();
// What may not be called while a stream captures ends the capture.
cudaError_t RefuseInCapture();

// Runs one step of a stream that has some.
void RunOne(Stream* stream);
// Runs all that is asked of a stream.
void Drain(Stream* stream);
// Runs everything, now a step of one stream, now of another.
void DrainAll();
// Appends to a stream, or to the graph that it captures.
cudaError_t Enqueue(cudaStream_t stream, Operation operation);

}  // namespace simt
