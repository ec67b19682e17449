#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "allocator/pytorch_heap.h"

namespace strata::pytorch {

/// The work that streams still have to do on blocks that were freed already.
///
/// A freed block with uses on other streams waits for one event on each. Events of a stream complete in
/// order: all that were recorded before the stream was last synchronised. `blocks` of one stream form a
/// queue.
class StreamWork {
 public:
  bool isEmpty() const { return pending_ == 0; }

  /// Records an event on a stream for a block.
  void record(StreamRank stream, BlockId block) {
    Queue& queue = queues_[stream];
    queue.events.push_back({++clock_, block});
    ++pending_;
  }

  /// All work submitted so far on a stream, or on all of them, is done.
  void synchronize(StreamRank stream) { done_[stream] = clock_; }
  void synchronizeAll() { allDone_ = clock_; }

  /// Takes the events that have completed and calls `visit` with the block of each, stream by stream in
  /// order.
  template <typename Visit>
  void takeCompleted(Visit visit) {
    for (auto at = queues_.begin(); at != queues_.end();) {
      const uint64_t done = doneOn(at->first);
      Queue& queue = at->second;
      while (queue.head < queue.events.size() && queue.events[queue.head].time <= done) {
        --pending_;
        visit(queue.events[queue.head++].block);
      }
      at = queue.head == queue.events.size() ? queues_.erase(at) : std::next(at);
    }
  }

 private:
  struct Event {
    uint64_t time;
    BlockId block;
  };
  struct Queue {
    std::vector<Event> events;
    size_t head = 0;
  };

  uint64_t doneOn(StreamRank stream) const {
    const auto found = done_.find(stream);
    return std::max(allDone_, found == done_.end() ? 0 : found->second);
  }

  uint64_t clock_ = 0;
  uint64_t allDone_ = 0;
  size_t pending_ = 0;
  std::map<StreamRank, uint64_t> done_;
  std::map<StreamRank, Queue> queues_;
};

}  // namespace strata::pytorch
