#include "analysis/call_site.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

struct Line {
  const char* name;
  const char* file;
  int line;
};

/// The call site of one stack, innermost frame first.
CallSites::CallSite siteOf(const std::vector<Line>& stack) {
  Trace trace;
  std::vector<uint32_t> frames;
  for (const Line& line : stack) {
    frames.push_back(
        trace.frames.intern(trace.strings.intern(line.name), trace.strings.intern(line.file), line.line));
  }
  const uint32_t row = trace.stacks.intern(frames);
  const CallSites sites(trace, false);
  return sites.at(sites.ofStack(row));
}

constexpr Line kUnwind = {"torch::unwind::unwind()", "??", 0};
constexpr Line kMalloc = {
    "c10::cuda::CUDACachingAllocator::Native::"
    "NativeCachingAllocator::malloc(void**)",
    "", 0};
constexpr Line kEmpty = {"at::TensorBase at::detail::empty_generic<long>(c10::ArrayRef<long>)",
                         "RegisterCUDA.cpp", 9};
constexpr Line kEngine = {
    "torch::autograd::Engine::thread_main(std::shared_"
    "ptr<torch::autograd::GraphTask>)",
    "??", 0};
constexpr Line kLinear = {"einsum", "/opt/venv/lib/python3.12/site-packages/torch/functional.py", 407};
constexpr Line kRunpy = {"_run_code", "<frozen runpy>", 88};

TEST(CallSite, IsTheInnermostFrameOfTheUsersOwn) {
  const auto site = siteOf({kUnwind,
                            kEmpty,
                            kLinear,
                            {"forward", "/home/me/train/model.py", 107},
                            {"main", "/home/me/train/run.py", 12},
                            kRunpy});
  EXPECT_EQ(site.name, "model.py:107");
  EXPECT_EQ(site.function, "forward");
  EXPECT_STREQ(site.kind, "site");
}

TEST(CallSite, IsCalledByItsPlaceWhereNoFunctionIsKnown) {
  EXPECT_EQ(siteOf({{"", "/home/me/shell.py", 33}}).name, "shell.py:33");
  EXPECT_EQ(siteOf({{"", "/usr/lib/python3/dist-packages/IPython/shell.py", 33}}).name, "shell.py:33");
  EXPECT_EQ(siteOf({{"", "/src/pool.cu", 7}}).name, "pool.cu:7");
}

TEST(CallSite, SkipsGeneratedCodeButNotCellsOfANotebook) {
  EXPECT_EQ(siteOf({{"call", "/tmp/torchinductor_me/ab/cdef.py", 40},
                    {"f", "<eval_with_key>.1", 3},
                    {"<module>", "<ipython-input-3-abc>", 5}})
                .name,
            "<ipython-input-3-abc>:5");
  EXPECT_EQ(siteOf({kRunpy, {"<module>", "/tmp/ipykernel_12/34.py", 2}}).name, "34.py:2");
}

TEST(CallSite, KnowsBackslashes) {
  EXPECT_EQ(siteOf({{"linear", "C:\\Python312\\Lib\\site-packages\\torch\\nn\\functional.py", 1},
                    {"step", "C:\\me\\train.py", 7}})
                .name,
            "train.py:7");
}

TEST(CallSite, IsTheAutogradEngineWhenThatRanTheStack) {
  EXPECT_EQ(siteOf({kUnwind, kEmpty, kEngine}).name, "autograd engine");
}

TEST(CallSite, FallsBackOnTheInnermostLibraryFunctionThenTheInnermostNativeOne) {
  EXPECT_EQ(siteOf({kUnwind, kEmpty, kLinear, kRunpy}).name, "einsum");
  const auto native = siteOf({kUnwind, kMalloc, kEmpty});
  EXPECT_EQ(native.name, "at::detail::empty_generic");
  EXPECT_STREQ(native.kind, "site");
}

TEST(CallSite, SaysWhenThereIsNoStackToReadItFrom) {
  Trace trace;
  const CallSites sites(trace, false);
  EXPECT_EQ(sites.at(sites.ofStack(kNone)).name, "no stack recorded");
  EXPECT_STREQ(sites.at(sites.ofStack(kNone)).kind, "unknown");
}

TEST(CallSite, IsOneForAllStacksThatReachTheSameLine) {
  Trace trace;
  const uint32_t own = trace.frames.intern(trace.strings.intern("f"), trace.strings.intern("/me/a.py"), 3);
  const uint32_t other = trace.frames.intern(trace.strings.intern("f"), trace.strings.intern("/me/a.py"), 4);
  const uint32_t library =
      trace.frames.intern(trace.strings.intern("g"), trace.strings.intern("/x/site-packages/g.py"), 1);
  const uint32_t first = trace.stacks.intern(std::vector<uint32_t>{own, other});
  const uint32_t second = trace.stacks.intern(std::vector<uint32_t>{library, own});
  const uint32_t third = trace.stacks.intern(std::vector<uint32_t>{other, own});
  const CallSites sites(trace, false);
  EXPECT_EQ(sites.ofStack(first), sites.ofStack(second));
  EXPECT_NE(sites.ofStack(first), sites.ofStack(third));
}

TEST(CallSites, NamesBlocksOfOneRecordedMomentByTheirStack) {
  Trace trace;
  const uint32_t frame = trace.frames.intern(trace.strings.intern("f"), trace.strings.intern("a.py"), 7);
  const uint32_t stack = trace.stacks.intern({&frame, 1});
  BlockColumns blocks;
  blocks.birth = {kBeforeFirst, kBeforeFirst};
  blocks.stack = {stack, kNone};
  const CallSites moment(trace, true), history(trace, false);
  EXPECT_EQ(moment.at(moment.ofBlock(blocks, 0)).name, "a.py:7");
  EXPECT_EQ(moment.ofBlock(blocks, 1), CallSites::kBeforeRecording);
  EXPECT_EQ(history.ofBlock(blocks, 0), CallSites::kBeforeRecording);
}

}  // namespace
}  // namespace strata
