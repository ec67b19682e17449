// Logs of RAPIDS RMM: every era, inside other logs, damaged.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <sstream>

#include "allocator/rebuild.h"
#include "analysis/index.h"
#include "capture/made_captures.h"
#include "capture/rmm_row.h"

namespace strata::test {
namespace {

constexpr char kHeader[] = "Thread,Time,Action,Pointer,Size,Stream\n";

/// "address+bytes birth..death" of every block.
std::string blocksOf(const Device& device) {
  std::string text;
  const auto moment = [](EventIndex event) { return event == kNever ? "end" : std::to_string(event); };
  for (size_t i = 0; i < device.blocks.count(); ++i) {
    text += std::to_string(device.blocks.address[i]) + "+" + std::to_string(device.blocks.bytes[i]) + " " +
            moment(device.blocks.birth[i]) + ".." + moment(device.blocks.death[i]) + "\n";
  }
  return text;
}

/// Every value of a row as text, or "none".
std::string partsOf(std::string_view line) {
  const auto row = parseRmmRow(line);
  if (!row) return "none";
  std::ostringstream text;
  text << static_cast<int>(row->action) << ' ' << row->thread.value_or(77) << ' ' << row->time << ' '
       << row->address << ' ' << row->bytes << ' ' << row->stream << ' ' << row->isOldClock << row->isLegacy
       << ' ' << static_cast<int>(row->clock);
  return text.str();
}

TEST(RmmLog, ReadsARowTheSameWhetherOrNotItIsWrittenAsRmmWritesIt) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto anyOf = [&](std::initializer_list<const char*> words) {
    return std::string(words.begin()[random() % words.size()]);
  };
  for (int round = 0; round < 3'000; ++round) {
    std::string row = anyOf({"7", "140213000", "18446744073709551615", "", "x"}) + "," +
                      anyOf({"10:00:00.000001", "23:59:60.999999", "24:00:00.000000", "10:00:00.12345",
                             "1:00:00.000000", "10:00:00:000001", "12.5"}) +
                      "," + anyOf({"allocate", "free", "allocate failure", "deallocate", "alloc"}) + "," +
                      anyOf({"0x1000", "0xfFfF", "0x", "4096", "(nil)", "0x123456789abcdef01"}) + "," +
                      anyOf({"1024", "0", "99999999999999999999", "-1", "0x10"}) + "," +
                      anyOf({"0", "0x2", "", "zz"});
    if (random() % 8 == 0) row[random() % row.size()] = static_cast<char>(33 + random() % 90);
    // A blank at the end is dropped by the general reader, and no row of RMM has one.
    ASSERT_EQ(partsOf(row), partsOf(row + " ")) << row;
  }
}

TEST(RmmLog, ReadsTodaysRows) {
  const Trace trace = readText(std::string(kHeader) +
                               "7,15:47:02.841961,allocate,0x1000,1048576,0\n"
                               "8,15:47:02.841977,allocate,0x200000,3145728,0x2\n"
                               "7,15:47:02.842000,free,0x1000,1048576,0\n");
  EXPECT_EQ(trace.format, "rmm-log");
  ASSERT_EQ(trace.devices.size(), 1u);
  const Device& device = trace.devices[0];
  EXPECT_TRUE(device.isPlaced);
  EXPECT_EQ(device.layout, DeviceLayout::Blocks);
  EXPECT_EQ(blocksOf(device), "4096+1048576 0..2\n2097152+3145728 1..end\n");
  EXPECT_EQ(device.blocks.region[0], Region::Immediate);
  EXPECT_EQ(device.blocks.region[1], Region::Pooled);
  EXPECT_EQ(device.events.time, (std::vector<int64_t>{0, 16'000, 39'000}));
  EXPECT_TRUE(trace.hasClock);
  EXPECT_FALSE(trace.hasOrigin);
  EXPECT_EQ(device.streams, (std::vector<uint64_t>{0, 2}));
  EXPECT_EQ(describeStack(trace, device.events.stack[0]), describeStack(trace, device.events.stack[2]));
  EXPECT_NE(describeStack(trace, device.events.stack[0]), describeStack(trace, device.events.stack[1]));
  EXPECT_EQ(warningCodes(trace), "no-segments");
}

TEST(RmmLog, ReadsTheFiveColumnsOf2020AndTheThreadThatSomeRowsHadInFront) {
  const Trace trace = readText(
      "Time,Action,Pointer,Size,Stream\n"
      "10:00:00:000001,allocate,0x1000,10,0x0\n"
      "23,10:00:00:000002,free,0x1000,10,0x0\n");
  EXPECT_EQ(blocksOf(trace.devices[0]), "4096+10 0..1\n");
  EXPECT_EQ(trace.devices[0].events.time, (std::vector<int64_t>{0, 1'000}));
  EXPECT_EQ(trace.producer, "RAPIDS RMM 0.15 to 0.19, by its times");
}

TEST(RmmLog, ReadsTheRowsOfThePythonLogBefore2020) {
  const Trace trace = readText(
      "Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current "
      "Allocs,Start,End,Elapsed,Location\n"
      "Alloc,0,0x7f4b99a00000,0,10,1048064,1048576,1,13.8011,13.8011,3.711e-06,/home/a,b/shell.py:3331\n"
      "Alloc,1,0x7f4b99b00000,0,20,1048064,1048576,1,13.9,13.9,3.711e-06,shell.py:1\n"
      "Free,0,0x7f4b99a00000,0,0,1048576,1048576,0,14.8011,14.8011,1e-06,shell.py:3332\n");
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(blocksOf(trace.devices[0]), "139962676674560+10 0..1\n");
  EXPECT_EQ(trace.devices[0].events.time, (std::vector<int64_t>{0, 1'000'000'000}));
  EXPECT_EQ(trace.devices[1].events.time, (std::vector<int64_t>{98'900'000}));
  EXPECT_NE(describeStack(trace, trace.devices[0].events.stack[0]).find("/home/a,b/shell.py"),
            std::string::npos);
  EXPECT_EQ(trace.producer, "RAPIDS RMM 0.13 or older, by its columns");
}

TEST(RmmLog, FindsRowsWithoutAHeaderInsideTheLogOfASparkExecutor) {
  const Trace trace = readText(
      "24/01/02 14:21:19 INFO Executor: Running task 0.0 in stage 1.0, free, to go\n"
      "1980043,14:21:19.998533,allocate,0x30a000000,256,0x2\n"
      "[stdout] 1980043,14:21:20.1,allocate,0x30a000100,256,0x2 (logged)\r\n"
      "24/01/02 14:21:32 INFO BlockManager: 1,2,3\n"
      "1980043,14:21:32.661875,free,0x30a000000,256,0x2\r\n");
  EXPECT_EQ(blocksOf(trace.devices[0]), "13052674048+256 0..2\n13052674304+256 1..end\n");
  EXPECT_EQ(trace.devices[0].events.time, (std::vector<int64_t>{0, 101'467'000, 12'663'342'000}));
  EXPECT_EQ(warningCodes(trace), "no-segments");
}

TEST(RmmLog, GoesOnBehindMidnight) {
  const Trace trace = readText(std::string(kHeader) +
                               "1,23:59:59.999999,allocate,0x100,8,0\n"
                               "1,00:00:00.000001,allocate,0x200,8,0\n"
                               "2,23:59:59.999998,allocate,0x300,8,0\n"
                               "1,00:00:01.000000,free,0x100,8,0\n");
  EXPECT_EQ(trace.devices[0].events.time, (std::vector<int64_t>{0, 2'000, 2'000, 1'000'001'000}));
  EXPECT_EQ(warningCodes(trace), "time-backwards no-segments");
}

/// Rows at times of day that each allocate a block, and the times in milliseconds that they get.
std::vector<int64_t> millisecondsOf(const std::vector<std::string>& timesOfDay, std::string* codes = nullptr,
                                    int64_t* line = nullptr) {
  std::string text = kHeader;
  for (size_t i = 0; i < timesOfDay.size(); ++i) {
    text += "1," + timesOfDay[i] + "000,allocate,0x" + std::to_string(1000 + i) + ",1,0\n";
  }
  const Trace trace = readText(text);
  std::vector<int64_t> times;
  for (const int64_t time : trace.devices[0].events.time) times.push_back(time / 1'000'000);
  if (codes) *codes = warningCodes(trace);
  for (const Warning& warning : trace.warnings) {
    if (line && warning.code == "time-apart") *line = warning.line;
  }
  return times;
}

using Times = std::vector<int64_t>;

TEST(RmmLog, GoesOnBehindAMidnightThatIsTheLastRow) {
  std::string codes;
  EXPECT_EQ(millisecondsOf({"23:59:50.000", "23:59:58.000", "00:00:03.000"}, &codes),
            (Times{0, 8000, 13000}));
  EXPECT_EQ(codes, "no-segments");
}

TEST(RmmLog, GoesOnBehindTwoMidnightsAndAFewHoursWithoutARow) {
  std::string codes;
  const Times times = millisecondsOf({"22:00:00.000", "03:00:00.000", "03:00:00.500", "16:00:00.000",
                                      "23:59:59.000", "00:00:01.000", "00:00:02.000"},
                                     &codes);
  constexpr int64_t kHour = 3'600'000;
  EXPECT_EQ(times, (Times{0, 5 * kHour, 5 * kHour + 500, 18 * kHour, 26 * kHour - 1000, 26 * kHour + 1000,
                          26 * kHour + 2000}));
  EXPECT_EQ(codes, "no-segments");
}

TEST(RmmLog, GoesOnBehindAMidnightAroundWhichThreadsMixTheirRows) {
  std::string codes;
  const Times times = millisecondsOf({"23:59:59.800", "00:00:00.100", "23:59:59.900", "00:00:00.050",
                                      "23:59:59.950", "00:00:00.300", "00:00:04.000"},
                                     &codes);
  EXPECT_EQ(times, (Times{0, 300, 300, 300, 300, 500, 4200}));
  EXPECT_EQ(codes, "time-backwards no-segments");
}

TEST(RmmLog, KeepsALateRowFromBeforeTheFirstMidnightWithinTheDay) {
  EXPECT_EQ(millisecondsOf({"00:00:00.100", "23:59:59.900", "00:00:00.300"}), (Times{0, 0, 200}));
}

TEST(RmmLog, TakesNoDamagedTimeForAMidnight) {
  std::string codes;
  int64_t line = -1;
  const Times times =
      millisecondsOf({"15:00:00.000", "15:00:01.000", "01:00:02.000", "15:00:03.000", "15:00:04.000",
                      "15:40:05.000", "15:00:06.000", "95:00:07.000", "15:00:08.000"},
                     &codes, &line);
  EXPECT_EQ(times, (Times{0, 1000, 1000, 3000, 4000, 4000, 6000, 8000}));
  EXPECT_EQ(codes, "row-unreadable time-apart no-segments");
  EXPECT_EQ(line, 4);
}

TEST(RmmLog, TakesNoDamagedFirstTimeForTheStart) {
  std::string codes;
  int64_t line = -1;
  EXPECT_EQ(millisecondsOf({"20:00:00.000", "10:00:01.000", "10:00:02.000", "10:00:03.000"}, &codes, &line),
            (Times{0, 0, 1000, 2000}));
  EXPECT_EQ(codes, "time-apart no-segments");
  EXPECT_EQ(line, 2);
}

TEST(RmmLog, KeepsItsLengthWhateverDigitsOfAFewHoursAreDamaged) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const int start : {1, 9, 12, 21, 22}) {
    std::vector<std::string> times;
    for (int row = 0; row < 400; ++row) {
      const int second = row * 30;  // 200 minutes
      char text[16];
      std::snprintf(text, sizeof text, "%02d:%02d:%02d.000", (start + second / 3600) % 24, second / 60 % 60,
                    second % 60);
      times.push_back(text);
    }
    for (int damage = 10; damage < 390; damage += 9 + static_cast<int>(random() % 40)) {
      times[damage][0] = static_cast<char>('0' + random() % 2);
      times[damage][3] = static_cast<char>('0' + random() % 6);
    }
    const Times read = millisecondsOf(times);
    ASSERT_EQ(read.size(), times.size());
    for (size_t i = 0; i < read.size(); ++i) {
      ASSERT_NEAR(read[i], static_cast<int64_t>(i) * 30'000, 30'000) << times[i] << " in row " << i;
    }
  }
}

TEST(RmmLog, KeepsTheTimesOfALogWithHoursBetweenRows) {
  std::string codes;
  const Times times = millisecondsOf({"23:59:58.000", "00:00:01.000", "00:00:02.000", "08:00:00.000",
                                      "16:00:00.000", "23:59:59.000", "00:00:01.000"},
                                     &codes);
  EXPECT_EQ(times, (Times{0, 3'000, 4'000, 28'802'000, 57'602'000, 86'401'000, 86'403'000}));
  EXPECT_EQ(codes, "no-segments");
}

TEST(RmmLog, ShowsAFailureAsARequestThatDidNotFit) {
  const Trace trace = readText(std::string(kHeader) +
                               "1,10:00:00.000000,allocate,0x100,8,0\n"
                               "1,10:00:00.000001,allocate failure,(nil),99999999999,0\n");
  const EventColumns& events = trace.devices[0].events;
  EXPECT_EQ(events.action[1], Action::OutOfMemory);
  EXPECT_EQ(events.size[1], 99'999'999'999u);
  EXPECT_EQ(events.address[1], kUnknownBytes);
  EXPECT_EQ(trace.producer, "RAPIDS RMM 22.04 or later, by its actions");
}

TEST(RmmLog, TakesAFreeOfAnUnknownAddressForABlockOlderThanTheLog) {
  Trace trace = readText("1,10:00:00.000000,allocate,0x1000,8,0\n1,10:00:00.000001,free,0x5000,64,0\n");
  EXPECT_EQ(blocksOf(trace.devices[0]), "20480+64 -1..1\n4096+8 0..end\n");
  EXPECT_EQ(trace.devices[0].events.row, (std::vector<uint32_t>{1, 0}));
  rebuild(trace, {});
  const Index index(trace, trace.devices[0]);
  EXPECT_EQ(index.moment(kBeforeFirst).regions[0].active, 64u);
  EXPECT_EQ(index.moment(0).regions[0].reserved, 72u);
  EXPECT_EQ(index.extremes().final[kAllRegions][2], 8u);
}

TEST(RmmLog, CountsWhatContradictsItself) {
  const Trace trace = readText(std::string(kHeader) +
                               "1,10:00:00.000000,allocate,0x1000,512,0\n"
                               "1,10:00:00.000001,allocate,0x1000,256,0\n"
                               "1,10:00:00.000002,allocate,0x1080,256,0\n"
                               "1,10:00:00.000003,free,0x1000,256,0\n"
                               "1,10:00:00.000004,free,0x1080,300,0\n");
  EXPECT_EQ(blocksOf(trace.devices[0]), "4096+512 0..1\n4096+256 1..2\n4224+256 2..4\n");
  EXPECT_EQ(warningCodes(trace),
            "allocated-twice allocation-overlaps freed-twice free-size-differs no-segments");
  EXPECT_EQ(trace.warnings[0].line, 3);
}

TEST(RmmLog, KeepsEveryRowThatCanBeRead) {
  const Trace trace = readText(std::string(kHeader) +
                               "1,10:00:00.000000,allocate,0x1000,512,0\n"
                               "garbage\n"
                               "1,10:00:00.000001,allocate,0x2000,-5,0\n"
                               "1,25:00:00.000001,allocate,0x2000,5,0\n"
                               "1,10:00:00.000001,allocate,0x2000,99999999999999999999999,0\n"
                               "1,10:00:00.000001,explode,0x2000,5,0\n" +
                               std::string("1,10:00\0:00.000001,free,0x2000,5,0\n", 36) +
                               "1,10:00:00.000002,free,0x1000,512,0\n"
                               "1,10:00:00.000003,allo");
  EXPECT_EQ(blocksOf(trace.devices[0]), "4096+512 0..1\n");
  EXPECT_EQ(warningCodes(trace), "capture-truncated row-unreadable no-segments");
  EXPECT_FALSE(trace.isComplete);
  EXPECT_EQ(trace.warnings[0].line, 10);
  EXPECT_EQ(trace.warnings[1].line, 3);
  EXPECT_NE(trace.warnings[1].message.find("6 rows"), std::string::npos) << trace.warnings[1].message;
}

TEST(RmmLog, RefusesALogWithoutARow) {
  EXPECT_EQ(refusalOfText(kHeader), "capture-nothing-recorded");
  EXPECT_EQ(refusalOfText(std::string(kHeader) + "nonsense\n"), "capture-damaged");
  EXPECT_EQ(refusalOfText("a text, free, of rows\n"), "capture-unknown-format");
}

TEST(RmmLog, ReadsLinesOfAnyLength) {
  const std::string longLine(3 << 20, 'x');
  const Trace trace =
      readText(std::string(kHeader) + longLine + "\n1,10:00:00.000000,allocate,0x1000,512,0\n");
  EXPECT_EQ(trace.devices[0].events.count(), 1u);
}

TEST(RmmLog, StopsWhenTold) {
  constexpr std::string_view kRow = "1,10:00:00.000000,allocate,0x1000,8,0\n";
  const std::vector<uint8_t> bytes(kRow.begin(), kRow.end());
  EXPECT_THROW(readCapture(bytes, [](const char*, uint64_t, uint64_t, uint64_t) { return false; }),
               Cancelled);
}

TEST(RmmLog, OpensTheLogsOfRealPrograms) {
  const std::string folder = STRATA_SHARED_DIR "/captures/rmm/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(file.path());
    ++files;
    const Trace trace = read(file.path());
    ASSERT_EQ(trace.devices.size(), 1u);
    const bool isLegacy = file.path().filename().string().find("legacy") != std::string::npos;
    EXPECT_EQ(trace.devices[0].events.count(), isLegacy ? 1u : 2u);
    EXPECT_EQ(trace.devices[0].blocks.count(), 1u);
    EXPECT_EQ(trace.devices[0].blocks.death[0] == kNever, isLegacy);
    for (const Warning& warning : trace.warnings) EXPECT_FALSE(warning.isDamage) << warning.message;
  }
  EXPECT_EQ(files, 4u);
}

}  // namespace
}  // namespace strata::test
