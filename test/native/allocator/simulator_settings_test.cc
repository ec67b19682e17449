#include <gtest/gtest.h>

#include <set>

#include "allocator/replay_error.h"
#include "allocator/simulator.h"

namespace strata {
namespace {

using Kind = Knob::Kind;

const std::vector<Knob> kKnobs = {
    {.name = "size", .kind = Kind::Bytes, .least = 512, .most = 0x1p40},
    {.name = "batch", .kind = Kind::Count, .initial = "128", .least = 1, .most = 1000},
    {.name = "share", .kind = Kind::Fraction},
    {.name = "grows", .kind = Kind::Flag, .initial = "true"},
    {.name = "policy", .kind = Kind::Choice, .initial = "first", .choices = {"first", "best"}},
    {.name = "conf", .kind = Kind::Text},
};

Settings read(const WrittenSettings& written) { return Settings(kKnobs, written); }

std::string refusal(const WrittenSettings& written) {
  try {
    read(written);
  } catch (const ReplayError& error) {
    return error.code + ": " + error.what();
  }
  return "accepted";
}

TEST(SimulatorSettings, TakesDefaultsForWhatIsNotWritten) {
  const Settings settings = read({});
  EXPECT_FALSE(settings.isSet("size"));
  EXPECT_FALSE(settings.isSet("conf"));
  EXPECT_EQ(settings.count("batch"), 128u);
  EXPECT_TRUE(settings.flag("grows"));
  EXPECT_EQ(settings.text("policy"), "first");
}

TEST(SimulatorSettings, ReadsBytesWithBinaryUnits) {
  EXPECT_EQ(read({{"size", "512"}}).bytes("size"), 512u);
  EXPECT_EQ(read({{"size", "20MiB"}}).bytes("size"), uint64_t{20} << 20);
  EXPECT_EQ(read({{"size", " 1.5 GiB "}}).bytes("size"), uint64_t{1536} << 20);
}

TEST(SimulatorSettings, NamesTheSettingItsValueAndWhatIsAllowed) {
  EXPECT_EQ(
      refusal({{"size", "20MB"}}),
      "bad-setting: The setting size cannot be \"20MB\": it must be a size in bytes, or with B, KiB, MiB, "
      "GiB or TiB behind it, from 512 to 1099511627776.");
  EXPECT_EQ(refusal({{"batch", "0"}}),
            "bad-setting: The setting batch cannot be \"0\": it must be a whole number from 1 to 1000.");
  EXPECT_EQ(refusal({{"share", "1.5"}}),
            "bad-setting: The setting share cannot be \"1.5\": it must be a number from 0 to 1.");
  EXPECT_EQ(refusal({{"grows", "perhaps"}}),
            "bad-setting: The setting grows cannot be \"perhaps\": it must be true or false.");
  EXPECT_EQ(refusal({{"policy", "worst"}}),
            "bad-setting: The setting policy cannot be \"worst\": it must be one of first, best.");
  EXPECT_EQ(refusal({{"sise", "1"}}),
            "unknown-setting: This allocator has no setting called \"sise\" (value \"1\").");
}

TEST(SimulatorSettings, RefusesHalfBytesAndNumbersBeyondAnyDevice) {
  EXPECT_NE(refusal({{"size", "1024.5"}}), "accepted");
  EXPECT_NE(refusal({{"size", "99999999TiB"}}), "accepted");
  EXPECT_NE(refusal({{"size", "1e9"}}), "accepted");
  EXPECT_NE(refusal({{"size", "-1"}}), "accepted");
  EXPECT_NE(refusal({{"size", "nan"}}), "accepted");
  EXPECT_NE(refusal({{"share", "nan"}}), "accepted");
}

TEST(Simulators, HaveNamesOfTheirOwnAndDefaultsThatCanBeRead) {
  std::set<std::string> names;
  for (const Simulator& one : simulators()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_NO_THROW(Settings(one.knobs, {})) << one.name;
    EXPECT_NE(one.build, nullptr);
  }
}

TEST(Simulators, AreNamedWhenAnotherIsAskedFor) {
  EXPECT_EQ(simulatorNamed("bfc").name, "bfc");
  EXPECT_THROW(simulatorNamed("jemalloc"), ReplayError);
}

}  // namespace
}  // namespace strata
