#include "capture/xprof/memory_viewer_json.h"

#include "capture/xprof/proto_json.h"

namespace strata::xprof {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const Progress& progress, MemoryViewer& viewer)
      : json_(text, progress), viewer_(viewer) {}

  size_t position() const { return json_.position(); }

  void run() {
    json_.members([&](std::string_view key) {
      if (isField(key, "heap_sizes"))
        json_.items([&] { viewer_.heap.push_back(mebibytes()); });
      else if (isField(key, "hlo_instruction_names"))
        json_.items([&] { viewer_.steps.push_back(json_.text()); });
      else if (isField(key, "max_heap"))
        json_.items([&] { readObject(); });
      else if (isField(key, "buffer_blocks"))
        json_.items([&] { readBlock(); });
      else if (isField(key, "indefinite_lifetimes"))
        json_.items([&] { readLasting(); });
      else if (isField(key, "module_name"))
        viewer_.module = json_.text();
      else if (isField(key, "entry_computation_name"))
        viewer_.entry = json_.text();
      else if (isField(key, "peak_heap_size_position"))
        viewer_.peakStep = json_.integer().value_or(-1);
      else
        readTotal(key);
    });
  }

 private:
  void readTotal(std::string_view key) {
    constexpr std::pair<const char*, const char*> kTotals[] = {
        {"peak_heap_mib", "peak_heap_bytes"},
        {"peak_unpadded_heap_mib", "peak_unpadded_heap_bytes"},
        {"entry_computation_parameters_mib", "entry_computation_parameters_bytes"},
        {"non_reusable_mib", "non_reusable_bytes"},
        {"maybe_live_out_mib", "maybe_live_out_bytes"},
        {"total_buffer_allocation_mib", "total_buffer_allocation_bytes"},
        {"indefinite_buffer_allocation_mib", "indefinite_buffer_allocation_bytes"},
        {"max_scoped_vmem_allocation_mib", "max_scoped_vmem_allocation_bytes"}};
    for (const auto& [field, name] : kTotals) {
      if (!isField(key, field)) continue;
      viewer_.totals.emplace_back(name, mebibytes());
      return;
    }
    json_.skip();
  }

  uint64_t mebibytes() {
    const size_t at = json_.position();
    const auto number = json_.real();
    const auto bytes = number ? bytesOfMebibytes(*number) : std::nullopt;
    if (!bytes) noteImpossible(at);
    return bytes.value_or(0);
  }

  /// Offsets and sizes of blocks are bytes, written as real numbers.
  uint64_t wholeBytes() {
    const size_t at = json_.position();
    const double number = json_.real().value_or(-1);
    if (number >= 0 && number < static_cast<double>(kMostBytes)) return static_cast<uint64_t>(number);
    noteImpossible(at);
    return kMostBytes;
  }

  void noteImpossible(size_t at) {
    if (viewer_.impossible++ == 0) viewer_.firstImpossible = at;
  }

  bool readOrigin(std::string_view key, BufferOrigin& origin) {
    if (isField(key, "tf_op_name")) {
      origin.operation = json_.text();
      return true;
    }
    if (!isField(key, "source_info")) return false;
    json_.members([&](std::string_view part) {
      if (isField(part, "file_name"))
        origin.file = json_.text();
      else if (isField(part, "line_number"))
        origin.line = json_.integer().value_or(0);
      else
        json_.skip();
    });
    return true;
  }

  void readObject() {
    HeapObject object;
    json_.members([&](std::string_view key) {
      if (isField(key, "logical_buffer_size_mib"))
        object.bytes = mebibytes();
      else if (isField(key, "instruction_name"))
        object.origin.instruction = json_.text();
      else if (isField(key, "label"))
        object.label = json_.text();
      else if (isField(key, "group_name"))
        object.group = json_.text();
      else if (isField(key, "shape_string"))
        object.shape = json_.text();
      else if (!readOrigin(key, object.origin))
        json_.skip();
    });
    viewer_.peakObjects.push_back(object);
  }

  void readBlock() {
    BufferBlock block;
    json_.members([&](std::string_view key) {
      if (isField(key, "logical_buffer_id"))
        block.buffer = json_.integer().value_or(0);
      else if (isField(key, "name"))
        block.origin.instruction = json_.text();
      else if (isField(key, "offset"))
        block.offset = wholeBytes();
      else if (isField(key, "size"))
        block.bytes = wholeBytes();
      else if (isField(key, "start_step"))
        block.startStep = json_.integer().value_or(-1);
      else if (isField(key, "end_step"))
        block.endStep = json_.integer().value_or(-1);
      else if (isField(key, "category"))
        block.category = json_.text();
      else if (isField(key, "shape_string"))
        block.shape = json_.text();
      else if (!readOrigin(key, block.origin))
        json_.skip();
    });
    viewer_.blocks.push_back(block);
  }

  void readLasting() {
    LastingAllocation allocation;
    json_.members([&](std::string_view key) {
      if (isField(key, "size_mib"))
        allocation.bytes = mebibytes();
      else if (isField(key, "attributes"))
        json_.items([&] {
          const std::string_view attribute = json_.text();
          if (allocation.attribute.empty()) allocation.attribute = attribute;
        });
      else if (isField(key, "logical_buffers"))
        readLargest(allocation);
      else
        json_.skip();
    });
    viewer_.lasting.push_back(allocation);
  }

  void readLargest(LastingAllocation& allocation) {
    double largest = -1;
    json_.items([&] {
      double size = 0;
      std::string_view name;
      json_.members([&](std::string_view key) {
        if (isField(key, "size_mib"))
          size = json_.real().value_or(0);
        else if (isField(key, "hlo_name"))
          name = json_.text();
        else
          json_.skip();
      });
      if (size <= largest) return;
      largest = size;
      allocation.instruction = name;
    });
  }

  ProtoJson json_;
  MemoryViewer& viewer_;
};

}  // namespace

MemoryViewer readMemoryViewerJson(std::span<const uint8_t> bytes, const Progress& progress) {
  MemoryViewer viewer;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Reader reader(text, progress, viewer);
  try {
    reader.run();
    return viewer;
  } catch (const EndOfData&) {
    viewer.brokenAt = bytes.size();
  } catch (const JsonScanner::NotJson& error) {
    viewer.brokenBecause = error.what();
    viewer.brokenAt = reader.position();
  }
  viewer.isBroken = true;
  return viewer;
}

}  // namespace strata::xprof
