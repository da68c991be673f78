// The ring of events: numbers, what was missed, what is lost.
#include "studio/events.hpp"

#include <gtest/gtest.h>

#include "studio/store.hpp"

namespace mercer::studio {
namespace {

TEST(StudioEvents, TellWhatWasMissed) {
  Events events(10, 1000);
  events.publish("progress", "a/1", "1");
  events.publish("done", "b/1", "2");
  events.publish("done", "a/1", "3");
  const Events::Missed all = events.after(0, "");
  ASSERT_EQ(all.events.size(), 3u);
  EXPECT_EQ(all.events[1].text(), "id: 2\nevent: done\ndata: 2\n\n");
  EXPECT_EQ(all.lost_before, 0u);
  const Events::Missed mine = events.after(1, "a/");
  ASSERT_EQ(mine.events.size(), 1u);
  EXPECT_EQ(mine.events[0].id, 3u);
  EXPECT_EQ(mine.up_to, 3u);
  EXPECT_TRUE(events.after(3, "").events.empty());
  EXPECT_TRUE(events.after(99, "").events.empty()) << "a number of an earlier server";
}

TEST(StudioEvents, ForgetTheOldest) {
  Events few(3, 1000), small(100, 10);
  for (int i = 0; i < 5; ++i) {
    few.publish("done", "", "x");
    small.publish("done", "", "12345");
  }
  EXPECT_EQ(few.after(0, "").events.size(), 3u);
  EXPECT_EQ(few.after(0, "").lost_before, 2u);
  EXPECT_EQ(few.after(2, "").lost_before, 0u);
  EXPECT_EQ(small.after(0, "").events.size(), 2u);
  small.publish("done", "", std::string(50, 'x'));
  EXPECT_EQ(small.after(0, "").events.size(), 1u) << "the newest stays whatever its size";
}

TEST(StudioEvents, CallWhoListens) {
  Events events(3, 100);
  int heard = 0;
  events.on_event([&] { heard += events.last() > 0 ? 1 : 0; });  // may ask in turn
  events.publish("done", "", "x");
  events.publish("done", "", "x");
  EXPECT_EQ(heard, 2);
}

TEST(StudioStore, TheLeastRecentlyUsedGo) {
  Store<int> store('d', 3, 100);
  const auto put = [&](int value, std::size_t bytes) { return store.put(std::make_shared<const int>(value), bytes); };
  const std::string a = put(1, 10), b = put(2, 10), c = put(3, 10);
  EXPECT_EQ(a, "d1");
  ASSERT_TRUE(store.get(a));
  const std::string d = put(4, 10);
  EXPECT_FALSE(store.get(b)) << "asked for the longest ago";
  EXPECT_EQ(*store.get(a), 1);
  const std::string e = put(5, 95);
  EXPECT_EQ(store.size(), 1u);
  EXPECT_EQ(*store.get(e), 5);
  EXPECT_FALSE(store.get("d99"));
  const std::string f = put(6, 1000);
  ASSERT_TRUE(store.get(f)) << "the newest stays whatever its size";
  (void)c;
  (void)d;
}

TEST(StudioStore, StepsOfASliderDriveOutEachOther) {
  Store<int> store('m', 256, 100);
  const auto put = [&](const std::string& slot) { return store.put(std::make_shared<const int>(0), 10, slot); };
  const std::string other = put("other page"), first = put("slider"), reported = put("slider");
  ASSERT_TRUE(store.get(reported)) << "a report names it";
  std::string before, last;
  for (int tick = 0; tick < 32; ++tick) {
    before = last;
    last = put("slider");
  }
  EXPECT_FALSE(store.get(first));
  EXPECT_TRUE(store.get(other));
  EXPECT_TRUE(store.get(reported));
  EXPECT_TRUE(store.get(before)) << "there is room";
  EXPECT_TRUE(store.get(last));
  // What was asked for makes room, too, when there is nothing else.
  for (int page = 0; page < 10; ++page) last = put("page " + std::to_string(page));
  EXPECT_EQ(store.size(), 10u);
  EXPECT_FALSE(store.get(reported));
}

}  // namespace
}  // namespace mercer::studio
