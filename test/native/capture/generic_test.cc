// Strata's own format, as CSV and as JSON lines.

#include <gtest/gtest.h>

#include "analysis/index.h"
#include "capture/made_captures.h"

namespace strata::test {
namespace {

std::string blocksOf(const Device& device) {
  std::string text;
  const auto moment = [](EventIndex event) { return event == kNever ? "end" : std::to_string(event); };
  for (size_t i = 0; i < device.blocks.count(); ++i) {
    text += std::to_string(device.blocks.address[i]) + "+" + std::to_string(device.blocks.bytes[i]) + "/" +
            std::to_string(device.blocks.requested[i]) + " " + moment(device.blocks.birth[i]) + ".." +
            moment(device.blocks.death[i]) + "\n";
  }
  return text;
}

TEST(Generic, ReadsCsvWithEveryColumn) {
  const Trace trace = readText(
      "# producer = my pool 1.2\n"
      "# limit = 1073741824\n"
      "action,time_us,device,address,bytes,requested,stream,stack,label\n"
      "segment_alloc,10,cuda:1,0x10000,4096,,0,,\n"
      "alloc,11.5,cuda:1,0x10000,512,500,7,inner (a.py:3);outer (b.py:4),\"weights, \"\"w\"\"\"\n"
      "alloc,12,cuda:1,0x10200,1024,1000,7,,\n"
      "free,13,cuda:1,0x10000,,,,,\n"
      "oom,14,cuda:1,,100000,,,,\n"
      "segment_free,15,cuda:1,0x10000,4096,,0,,\n"
      "alloc,16,host,4096,10,,,,\n");
  EXPECT_EQ(trace.format, "generic-events");
  EXPECT_EQ(trace.producer, "my pool 1.2");
  EXPECT_EQ(trace.settings, (std::vector<std::pair<std::string, std::string>>{{"limit", "1073741824"}}));
  ASSERT_EQ(trace.devices.size(), 2u);
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.ordinal, 1);
  EXPECT_EQ(device.layout, DeviceLayout::Segments);
  EXPECT_EQ(blocksOf(device), "65536+512/500 1..3\n66048+1024/1000 2..5\n");
  EXPECT_EQ(device.blocks.segment, (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(device.segments.death, (std::vector<EventIndex>{5}));
  EXPECT_EQ(device.events.time, (std::vector<int64_t>{0, 1'500, 2'000, 3'000, 4'000, 5'000}));
  EXPECT_EQ(device.events.address[4], kUnknownBytes);
  EXPECT_EQ(describeStack(trace, device.blocks.stack[0]).find("inner") != std::string::npos, true);
  EXPECT_EQ(trace.strings.at(device.events.label[1]), "weights, \"w\"");
  EXPECT_EQ(trace.devices[1].kind, DeviceKind::Host);
  EXPECT_EQ(trace.devices[1].layout, DeviceLayout::Blocks);
  EXPECT_EQ(warningCodes(trace), "segment-in-use no-segments");
  const Index index(trace, device);
  EXPECT_EQ(index.moment(2).regions[1].reserved, 4096u);
  EXPECT_EQ(index.moment(2).regions[1].largestFree, 2560u);
}

TEST(Generic, ReadsJsonLines) {
  const Trace trace = readText(
      "{\"action\": \"begin\", \"label\": \"step 1\", \"time\": 1.0}\n"
      "{\"action\": \"alloc\", \"time\": 1e0, \"address\": 4096, \"bytes\": 64, \"stack\": [\"f (a.py:1)\", "
      "\"main\"], \"extra\": {\"deep\": [1, 2]}}\n"
      "\n"
      "{\"action\": \"free\", \"time\": 1.5, \"address\": \"0x1000\", \"bytes\": null}\n"
      "{\"action\": \"end\", \"time\": 1.75}\n"
      "{\"action\": \"marker\", \"time\": 2, \"label\": \"caf\\u00e9\"}\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(blocksOf(device), "4096+64/64 1..2\n");
  EXPECT_EQ(device.events.time, (std::vector<int64_t>{0, 0, 500'000'000, 750'000'000, 1'000'000'000}));
  ASSERT_EQ(trace.annotations.size(), 1u);
  EXPECT_EQ(trace.strings.at(trace.annotations[0].name), "step 1");
  EXPECT_EQ(trace.annotations[0].end, 750'000'000);
  EXPECT_EQ(trace.strings.at(device.events.label[4]), "café");
  EXPECT_FALSE(trace.hasOrigin);
}

TEST(Generic, KnowsTotalsAloneWithoutAddresses) {
  const Trace trace = readText(
      "action,bytes\n"
      "alloc,100\nalloc,100\nfree,100\nfree,40\nalloc,4194304\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.layout, DeviceLayout::Totals);
  EXPECT_FALSE(trace.hasClock);
  EXPECT_EQ(warningCodes(trace), "no-addresses");
  const Index index(trace, device);
  const auto active = [&](EventIndex event) {
    const Moment moment = index.moment(event);
    return moment.regions[0].active + moment.regions[1].active;
  };
  EXPECT_EQ(active(kBeforeFirst), 40u);
  EXPECT_EQ(active(1), 240u);
  EXPECT_EQ(active(3), 100u);
  EXPECT_EQ(active(4), 4194404u);
  EXPECT_EQ(index.moment(4).regions[1].active, 4194304u);
  EXPECT_EQ(index.moment(4).regions[1].reserved, 4194304u);
}

TEST(Generic, TakesTheRegionThatARowNames) {
  const Trace trace = readText(
      "action,address,bytes,region\n"
      "alloc,0x1000,8,virtual\nalloc,0x2000,8,\nalloc,0x3000,8,elsewhere\n");
  EXPECT_EQ(trace.devices[0].blocks.region, (std::vector<Region>{Region::Virtual, Region::Immediate}));
  EXPECT_EQ(warningCodes(trace), "row-unreadable no-segments");
  EXPECT_EQ(trace.warnings[0].line, 4);
}

TEST(Generic, PutsBlocksOutsideOfEverySegmentInOneOfTheirOwn) {
  const Trace trace = readText(
      "action,address,bytes\n"
      "alloc,0x100000,8\nsegment_alloc,0x1000,4096\nalloc,0x1100,16\nalloc,0x3000,16\n"
      "segment_free,0x9000,8192\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(warningCodes(trace), "block-outside-segments");
  EXPECT_EQ(device.segments.count(), 4u);
  EXPECT_EQ(device.segments.birth, (std::vector<EventIndex>{kBeforeFirst, 0, 1, 3}));
  EXPECT_EQ(device.blocks.segment, (std::vector<uint32_t>{1, 2, 3}));
  const Index index(trace, device);
  EXPECT_EQ(index.moment(kBeforeFirst).regions[1].reserved, 8192u);
  EXPECT_EQ(index.stateAt(3).segments.size(), 4u);
}

TEST(Generic, KeepsEveryRowThatCanBeRead) {
  const Trace trace = readText(
      "action,address,bytes,time\n"
      "alloc,0x1000,512,1\n"
      "alloc,0x2000,,2\n"
      "alloc,,512,2\n"
      "what,0x2000,1,2\n"
      "alloc,0x2000,512,2 s\n"
      "alloc,\"0x2000,512,2\n"
      "alloc,18446744073709551615,18446744073709551615,2\n"
      "free,0x1000,512,0.5\n"
      "free,0x1000,512,9999999999999999999999\n"
      "free,0x10");
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.events.count(), 2u);
  EXPECT_EQ(warningCodes(trace),
            "capture-truncated row-unreadable size-impossible time-backwards no-segments");
  EXPECT_NE(trace.warnings[1].message.find("6 rows"), std::string::npos) << trace.warnings[1].message;
}

TEST(Generic, SaysWhereACutOffFileEnds) {
  const Trace trace = readText("{\"action\":\"alloc\",\"address\":1,\"bytes\":2}\n{\"action\":\"fr");
  EXPECT_EQ(warningCodes(trace), "capture-truncated no-segments");
  EXPECT_EQ(trace.warnings[0].line, 2);
  EXPECT_FALSE(trace.isComplete);
}

TEST(Generic, IsNotTakenForAnotherFormatNorAnotherForIt) {
  EXPECT_EQ(readText("time,action,address,bytes,stream\n1.0,free,0x10,16,0\n").format, "generic-events");
  EXPECT_EQ(refusalOfText("action,bytes\n"), "capture-nothing-recorded");
  EXPECT_EQ(refusalOfText("action,bytes\nx\n"), "capture-damaged");
  EXPECT_EQ(refusalOfText("name,amount\nx,1\n"), "capture-unknown-format");
}

TEST(Generic, ReadsTablesAsSpreadsheetsWriteThem) {
  const std::string expected = "4096+512/512 0..1\n";
  const std::vector<int64_t> times = {0, 1'500'000'000};
  const char* texts[] = {
      "time,action,address,bytes\n1.0,alloc,0x1000,512\n2.5,free,0x1000,\n",
      "time;action;address;bytes\n1,0;alloc;0x1000;512\n2,5;free;0x1000;\n",
      "time\taction\taddress\tbytes\n1,0\talloc\t0x1000\t512\n2.5\tfree\t0x1000\t\n",
      "\xef\xbb\xbfsep=;\r\nTime;Action;Address;Bytes\r\n1,0;alloc;0x1000;512\r\n2,5;free;0x1000;\r\n",
      "time,action,address,bytes\r1.0,alloc,0x1000,512\r2.5,free,0x1000,\r",
      "Time,Action,Address,Bytes\n1.0,alloc,0x1000,512\n2.5,free,0x1000,\n",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    const Trace trace = readText(text);
    EXPECT_EQ(blocksOf(trace.devices[0]), expected);
    EXPECT_EQ(trace.devices[0].events.time, times);
    EXPECT_EQ(warningCodes(trace), "no-segments");
  }
}

TEST(Generic, TakesNoCommaForADecimalPointWhereCommasSeparate) {
  const Trace trace = readText("time,action,bytes\n\"1,5\",alloc,512\n1.5,alloc,512\n");
  EXPECT_EQ(trace.devices[0].events.count(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "row-unreadable");
  EXPECT_EQ(trace.warnings[0].line, 2);
}

TEST(Generic, ReadsJsonThatIsNotOneObjectALine) {
  const char* texts[] = {
      "{\n  \"action\": \"alloc\",\n  \"address\": 4096, \"bytes\": 512\n}\n{\n  \"action\": \"free\", "
      "\"address\": 4096\n}\n",
      "[\n{\"action\": \"alloc\", \"address\": 4096, \"bytes\": 512},\n{\"action\": \"free\", \"address\": "
      "4096}\n]\n",
      "[{\"action\": \"alloc\", \"address\": 4096, \"bytes\": 512}, {\"action\": \"free\", \"address\": "
      "4096}]",
      "\xef\xbb\xbf{\"events\": [{\"action\": \"alloc\", \"address\": 4096, \"bytes\": 512}, {\"action\": "
      "\"free\", \"address\": 4096}]}",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    const Trace trace = readText(text);
    EXPECT_EQ(blocksOf(trace.devices[0]), "4096+512/512 0..1\n");
    EXPECT_EQ(warningCodes(trace), "no-segments");
    EXPECT_TRUE(trace.isComplete);
  }
}

TEST(Generic, SaysAtWhichLineJsonOverSeveralLinesIsCutOffOrDamaged) {
  const std::string row = "{\n\"action\": \"alloc\",\n\"address\": 4096, \"bytes\": 512\n}";
  const Trace cut = readText("[" + row + ",\n{\"action\": \"fr");
  EXPECT_EQ(warningCodes(cut), "capture-truncated no-segments");
  EXPECT_EQ(cut.devices[0].events.count(), 1u);
  EXPECT_FALSE(cut.isComplete);
  const Trace damaged = readText("[" + row + ",\n{]\n" + row + "]");
  EXPECT_EQ(warningCodes(damaged), "capture-damaged no-segments");
  EXPECT_EQ(damaged.warnings[0].line, 5);
  const Trace unreadable = readText("[" + row + ",\n{\"action\": \"what\"}, 7,\n" + row + "]");
  EXPECT_EQ(unreadable.warnings[0].code, "row-unreadable");
  EXPECT_EQ(unreadable.warnings[0].line, 5);
  EXPECT_NE(unreadable.warnings[0].message.find("2 rows"), std::string::npos);
}

TEST(Generic, NamesTheColumnsThatATableLacks) {
  EXPECT_EQ(refusalOfText("time;address;size\n1;2;3\n"), "generic-columns");
  EXPECT_EQ(refusalOfText("time,action,address\n1,alloc,2\n"), "generic-columns");
  EXPECT_EQ(refusalOfText("epoch,loss\n1,2\n"), "capture-unknown-format");
  try {
    readText("Time\tPtr\tname\n1\t2\t3\n");
    FAIL();
  } catch (const CaptureError& error) {
    EXPECT_EQ(std::string(error.what()),
              "This is a table, but its header has no column action and no column bytes.");
  }
}

TEST(Generic, ReadsHostileRowsWithinBounds) {
  std::string row = "{\"action\":\"alloc\",\"address\":16,\"bytes\":1";
  for (int i = 0; i < 1000; ++i) row += ",\"label\":\"a\\n" + std::to_string(i) + "\"";
  row += ",\"deep\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}\n";
  const Trace trace = readText(row + row);
  EXPECT_EQ(trace.devices[0].events.count(), 2u);
  EXPECT_EQ(trace.strings.at(trace.devices[0].events.label[0]), "a\n999");
}

TEST(Generic, HoldsWhatWasThereBeforeTheFirstEvent) {
  const Trace trace = readText(
      "{\"action\":\"segment_held\",\"address\":4096,\"bytes\":4096}\n"
      "{\"action\":\"held\",\"address\":4096,\"bytes\":512,\"requested\":500}\n"
      "{\"action\":\"held\",\"address\":5120,\"bytes\":512}\n"
      "{\"action\":\"alloc\",\"address\":6144,\"bytes\":512}\n"
      "{\"action\":\"free\",\"address\":4096}\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(blocksOf(device), "4096+512/500 -1..1\n5120+512/512 -1..end\n6144+512/512 0..end\n");
  EXPECT_EQ(device.segments.birth, (std::vector<EventIndex>{kBeforeFirst}));
  EXPECT_EQ(device.events.count(), 2u);
  EXPECT_EQ(device.events.row, (std::vector<uint32_t>{2, 0}));
  EXPECT_TRUE(trace.warnings.empty());
}

TEST(Generic, ShowsOneMomentWhenNothingButWhatWasHeldIsThere) {
  const Trace trace = readText("{\"action\":\"held\",\"address\":4096,\"bytes\":512}\n");
  const Device& device = trace.devices[0];
  EXPECT_FALSE(device.hasHistory);
  EXPECT_EQ(Index(trace, device).extremes().final[kAllRegions][0], 512u);
}

TEST(Generic, KeepsABlockActiveFromTheWishToFreeItUntilItIsFree) {
  const Trace trace = readText(
      "{\"action\":\"alloc\",\"address\":4096,\"bytes\":512}\n"
      "{\"action\":\"free_requested\",\"address\":4096}\n"
      "{\"action\":\"free\",\"address\":4096}\n");
  EXPECT_EQ(trace.devices[0].blocks.freeRequested, (std::vector<EventIndex>{1}));
  EXPECT_EQ(trace.devices[0].blocks.death, (std::vector<EventIndex>{2}));
}

TEST(Generic, JoinsAndCutsThePiecesOfAVirtualSegment) {
  const auto row = [](const char* action, int address, int bytes, const char* region) {
    return std::string("{\"action\":\"") + action + "\",\"address\":" + std::to_string(address) +
           ",\"bytes\":" + std::to_string(bytes) + ",\"region\":\"" + region + "\"}\n";
  };
  const Trace trace =
      readText(row("segment_alloc", 4096, 2048, "virtual") + row("segment_alloc", 6144, 2048, "virtual") +
               row("alloc", 5120, 2048, "virtual") + row("free", 5120, 2048, "virtual") +
               row("segment_free", 5120, 2048, "virtual"));
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.blocks.segment, (std::vector<uint32_t>{0}));
  EXPECT_EQ(device.segments.address, (std::vector<uint64_t>{4096, 6144, 7168, 4096}));
  EXPECT_EQ(device.segments.bytes, (std::vector<uint64_t>{2048, 2048, 1024, 1024}));
  EXPECT_EQ(device.segments.death, (std::vector<EventIndex>{4, 4, kNever, kNever}));
  EXPECT_EQ(device.segments.range, (std::vector<uint32_t>{0, 0, 0, 0}));
  const Moment moment = Index(trace, device).moment(3);
  EXPECT_EQ(moment.regions[static_cast<int>(Region::Virtual)].largestFree, 4096u);
  EXPECT_TRUE(trace.warnings.empty());
}

TEST(Generic, EndsABlockWithTheVirtualMemoryUnderIt) {
  const Trace trace = readText(
      "{\"action\":\"segment_alloc\",\"address\":4096,\"bytes\":4096,\"region\":\"virtual\"}\n"
      "{\"action\":\"alloc\",\"address\":4096,\"bytes\":4096}\n"
      "{\"action\":\"segment_free\",\"address\":4096}\n");
  EXPECT_EQ(trace.devices[0].blocks.death, (std::vector<EventIndex>{2}));
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "segment-in-use");
}

TEST(Generic, DrawsAGapWhereTheProducerSaysThatEventsAreMissing) {
  const Trace trace = readText(
      "{\"action\":\"alloc\",\"address\":4096,\"bytes\":512,\"time_us\":10}\n"
      "{\"action\":\"gap\",\"dropped\":1234,\"label\":\"queue full\",\"time_us\":25}\n"
      "{\"action\":\"alloc\",\"address\":8192,\"bytes\":512,\"time_us\":30}\n"
      "{\"action\":\"gap\"}\n");
  ASSERT_EQ(trace.annotations.size(), 2u);
  EXPECT_EQ(trace.devices[0].events.count(), 2u);
  EXPECT_EQ(trace.strings.at(trace.annotations[0].name), "gap: 1,234 events missing (queue full)");
  EXPECT_EQ(trace.annotations[0].begin, 0);
  EXPECT_EQ(trace.annotations[0].end, 20'000);
  EXPECT_EQ(trace.strings.at(trace.annotations[1].name), "gap: an unknown number of events missing");
  EXPECT_EQ(trace.annotations[1].begin, 20'000);
  EXPECT_FALSE(trace.annotations[1].hasEnd);
  ASSERT_GE(trace.warnings.size(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "events-missing");
  EXPECT_EQ(trace.warnings[0].line, 2);
  EXPECT_TRUE(trace.warnings[0].isDamage);
}

TEST(Generic, MarksSizesThatTheProducerRoundedItself) {
  const Trace trace =
      readText("# sizes = estimated\n{\"action\":\"alloc\",\"address\":4096,\"bytes\":512}\n");
  EXPECT_EQ(trace.devices[0].exactness.verdict, Exactness::Verdict::Estimated);
  EXPECT_EQ(trace.devices[0].exactness.code, "sizes-estimated");
  EXPECT_TRUE(trace.settings.empty());
}

}  // namespace
}  // namespace strata::test
