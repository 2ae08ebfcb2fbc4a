// Streams, events and graphs of the runtime.
#include <algorithm>
#include <utility>

#include "kernels/simt/runtime_state.h"
#include "kernels/simt/stand_in_state.h"

namespace simt {
namespace {

bool IsKnown(cudaEvent_t event) {
  const auto& events = TheRuntime().events;
  return std::any_of(events.begin(), events.end(),
                     [&](const auto& known) { return known.get() == event; });
}

cudaError_t Finish(const Mark& mark) {
  // What ran may have emptied the queue already.
  while (!mark.is_done && !mark.stream->queue.empty()) RunOne(mark.stream);
  return cudaSuccess;
}

// An event of a capturing stream draws those that wait for it into the capture.
cudaError_t JoinCapture(Stream* stream, const std::shared_ptr<Capture>& capture, Stream* from) {
  if (stream->capture != nullptr && stream->capture != capture) {
    stream->capture->is_invalid = capture->is_invalid = true;
    return Return(cudaErrorStreamCaptureUnsupported);
  }
  if (stream->capture == nullptr) {
    stream->capture = capture;
    capture->unjoined.push_back(stream);
  }
  if (from != capture->origin) std::erase(capture->unjoined, from);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaDeviceSynchronize() {
  auto lock = Lock();
  if (IsAnyCapturing()) return RefuseInCapture();
  DrainAll();
  return TakeAsyncError();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  auto lock = Lock();
  auto made = std::make_unique<Stream>();
  made->is_blocking = (flags & cudaStreamNonBlocking) == 0;
  *stream = made.get();
  TheRuntime().streams.push_back(std::move(made));
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  auto lock = Lock();
  if (stream == nullptr || !IsKnown(stream)) return Return(cudaErrorInvalidResourceHandle);
  Drain(stream);
  if (stream->capture != nullptr) stream->capture->operations.clear();
  std::erase_if(TheRuntime().streams, [&](const auto& known) { return known.get() == stream; });
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  auto lock = Lock();
  if (!IsKnown(stream)) return Return(cudaErrorInvalidResourceHandle);
  if (Of(stream).capture != nullptr) return RefuseInCapture();
  if (stream == nullptr) {
    for (const auto& other : TheRuntime().streams) {
      if (other->is_blocking) Drain(other.get());
    }
  }
  Drain(&Of(stream));
  return TakeAsyncError();
}

// A query never runs anything: who only asks may ask for ever, so half of the time one step is run.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  auto lock = Lock();
  if (!IsKnown(stream)) return Return(cudaErrorInvalidResourceHandle);
  Stream& queue = Of(stream);
  if (queue.capture != nullptr) return RefuseInCapture();
  if (queue.queue.empty()) return TakeAsyncError();
  if (TheRuntime().random() % 2 == 0) RunOne(&queue);
  return cudaErrorNotReady;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  auto lock = Lock();
  return Enqueue(stream, [=] {
    function(data);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  auto lock = Lock();
  TheRuntime().events.push_back(std::make_unique<Event>());
  *event = TheRuntime().events.back().get();
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  auto lock = Lock();
  if (!IsKnown(event)) return Return(cudaErrorInvalidResourceHandle);
  std::erase_if(TheRuntime().events, [&](const auto& known) { return known.get() == event; });
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  auto lock = Lock();
  if (!IsKnown(event) || !IsKnown(stream)) return Return(cudaErrorInvalidResourceHandle);
  auto mark = std::make_shared<Mark>();
  mark->stream = &Of(stream);
  mark->capture = mark->stream->capture;
  event->mark = mark;
  return Enqueue(stream, [mark] {
    mark->is_done = true;
    mark->time = Clock::now();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  auto lock = Lock();
  if (!IsKnown(event) || !IsKnown(stream)) return Return(cudaErrorInvalidResourceHandle);
  std::shared_ptr<Mark> mark = event->mark;
  if (mark == nullptr) return cudaSuccess;  // never recorded: nothing to wait for
  if (mark->capture != nullptr) return JoinCapture(&Of(stream), mark->capture, mark->stream);
  if (Of(stream).capture != nullptr) return RefuseInCapture();
  return Enqueue(stream, [mark] { return Finish(*mark); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  auto lock = Lock();
  if (!IsKnown(event)) return Return(cudaErrorInvalidResourceHandle);
  if (event->mark == nullptr) return cudaSuccess;
  if (event->mark->capture != nullptr) return RefuseInCapture();
  Finish(*event->mark);
  return TakeAsyncError();
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  auto lock = Lock();
  if (!IsKnown(event)) return Return(cudaErrorInvalidResourceHandle);
  if (event->mark == nullptr || event->mark->is_done) return cudaSuccess;
  if (event->mark->capture != nullptr) return RefuseInCapture();
  if (TheRuntime().random() % 2 == 0) RunOne(event->mark->stream);
  return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  auto lock = Lock();
  if (!IsKnown(begin) || !IsKnown(end) || begin->mark == nullptr || end->mark == nullptr) {
    return Return(cudaErrorInvalidResourceHandle);
  }
  if (!begin->mark->is_done || !end->mark->is_done) return Return(cudaErrorNotReady);
  *milliseconds =
      std::chrono::duration<float, std::milli>(end->mark->time - begin->mark->time).count();
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  auto lock = Lock();
  if (!IsKnown(stream)) return Return(cudaErrorInvalidResourceHandle);
  // The default stream cannot be captured.
  if (stream == nullptr || stream->capture != nullptr) {
    return Return(cudaErrorStreamCaptureUnsupported);
  }
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = stream;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  auto lock = Lock();
  *graph = nullptr;
  if (!IsKnown(stream) || stream == nullptr || stream->capture == nullptr) {
    return Return(cudaErrorIllegalState);
  }
  std::shared_ptr<Capture> capture = stream->capture;
  if (capture->origin != stream) return Return(cudaErrorStreamCaptureInvalidated);
  for (const auto& other : TheRuntime().streams) {
    if (other->capture == capture) other->capture = nullptr;
  }
  // Operations of events refer to the capture that they are part of.
  std::vector<Operation> operations = std::exchange(capture->operations, {});
  if (!capture->unjoined.empty()) return Return(cudaErrorStreamCaptureUnjoined);
  if (capture->is_invalid) return Return(cudaErrorStreamCaptureInvalidated);
  *graph = new Graph{std::move(operations)};
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  auto lock = Lock();
  if (!IsKnown(stream)) return Return(cudaErrorInvalidResourceHandle);
  const auto& capture = Of(stream).capture;
  *status = capture == nullptr    ? cudaStreamCaptureStatusNone
            : capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                  : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  auto lock = Lock();
  if (graph == nullptr) return Return(cudaErrorInvalidValue);
  *exec = new GraphExec{graph->operations};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  auto lock = Lock();
  if (exec == nullptr) return Return(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (const Operation& operation : exec->operations) {
    if (error == cudaSuccess) error = Enqueue(stream, operation);
  }
  return error;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  auto lock = Lock();
  delete exec;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  auto lock = Lock();
  delete graph;
  return cudaSuccess;
}

}  // namespace simt
