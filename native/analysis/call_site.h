#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// Which line of the user's own code asked for a block.
///
/// The call site of a stack is its first frame, innermost first, that is the user's own. Folded, that is not
/// the user's own, are:
///   - native frames: no file or "??", or a file of C, C++, CUDA, assembler or an object file
///   - installed libraries: a file in site-packages, dist-packages, a Python library folder (lib/python3),
///     or PyTorch's own tree (a folder named torch)
///   - generated code and the interpreter: <frozen ...>, <string>, <eval_with_key>, ... (but not the cells of
///     a notebook, <ipython-input-...>), and what TorchInductor wrote (torchinductor_...)
///
///   at::empty_cuda        ??                                native    folded
///   linear                .../site-packages/torch/...       library   folded
///   block_7               /home/me/train/model.py:107       own       <- the call site, "model.py:107"
///   main                  /home/me/train/run.py:12          own
///
/// A stack without an own frame is named after what it shows: "autograd engine" when the backward engine ran
/// it, otherwise its innermost library function, otherwise its innermost native function that is not part of
/// taking the stack or of the allocator.
enum class FrameKind : uint8_t { Own, Library, Interpreter, Native };

FrameKind kindOf(const Trace& trace, uint32_t frame);

/// Whether views fold a frame away: everything but the user's own.
inline bool isFolded(const Trace& trace, uint32_t frame) { return kindOf(trace, frame) != FrameKind::Own; }

/// The call sites of a trace, found once for every stack.
class CallSites {
 public:
  static constexpr uint32_t kBeforeRecording = 0;  ///< site of blocks older than the recording
  static constexpr uint32_t kNoStack = 1;          ///< site of blocks whose stack was not recorded

  /// isOneMoment: nothing was recorded but one state, so that blocks older than the recording are all there
  /// is.
  CallSites(const Trace& trace, bool isOneMoment);

  struct CallSite {
    std::string name;
    std::string function;
    const char* kind;  ///< as in Site
  };
  /// The site of a block by its stack, whenever it was born.
  uint32_t ofStack(uint32_t stack) const { return stack < siteOf_.size() ? siteOf_[stack] : kNoStack; }
  uint32_t ofBlock(const BlockColumns& blocks, uint32_t block) const {
    const uint32_t stack = blocks.stack[block];
    const bool isBefore = blocks.birth[block] < 0 && !(isOneMoment_ && stack != kNone);
    return isBefore ? kBeforeRecording : ofStack(stack);
  }
  const CallSite& at(uint32_t site) const { return sites_[site]; }
  uint32_t count() const { return static_cast<uint32_t>(sites_.size()); }
  size_t bytes() const;

 private:
  bool isOneMoment_;
  std::vector<CallSite> sites_;
  std::vector<uint32_t> siteOf_;  ///< [stack]
};

}  // namespace strata
