// What several ranks make together against what one makes alone, and what becomes of their faults.
#include "distributed/ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

#include "distributed/packed.hpp"
#include "distributed/thread_ranks.hpp"
#include "mercer/error.hpp"
#include "support.hpp"

namespace mercer::distributed::ranks_test {
namespace {

using distributed_test::on_ranks;
using distributed_test::Outcome;

// Numbers whose sum depends on the order.
Part part_of(Index i) {
  Part out;
  out.push_back(test::random_matrix(3, 5, static_cast<unsigned>(2 * i + 1), -1e8, 1e8));
  out.push_back(test::random_matrix(1, 2, static_cast<unsigned>(2 * i + 2), -1e-8, 1e-8));
  return out;
}
Part summed(Index count) {
  return sum("parts", count, {{3, 5}, {1, 2}}, [](Range mine, const std::function<void(Part)>& take) {
    for (Index i = mine.begin; i < mine.end; ++i) take(part_of(i));
  });
}
std::string bytes_of(const Part& part) {
  Packing out;
  for (const Matrix& m : part) out.all(VectorView(m.data(), static_cast<std::size_t>(m.rows() * m.cols())));
  return out.bytes();
}

TEST(Ranks, SumsAreAddedInTheOrderOfTheParts) {
  EXPECT_EQ(bytes_of(summed(0)), bytes_of(Part{Matrix(3, 5), Matrix(1, 2)})) << "no parts are 0";
  for (const Index count : {1, 2, 3, 7, 40}) {
    Part by_hand = part_of(0);
    for (Index i = 1; i < count; ++i) {
      const Part next = part_of(i);
      for (std::size_t k = 0; k < 2; ++k) {
        for (Index j = 0; j < by_hand[k].rows() * by_hand[k].cols(); ++j) by_hand[k].data()[j] += next[k].data()[j];
      }
    }
    const std::string alone = bytes_of(summed(count));
    EXPECT_EQ(alone, bytes_of(by_hand));
    for (const int ranks : {1, 2, 3, 4, 20}) {  // more than there are numbers, or parts
      for (const Index kept : {Index{1}, Index{40}, Index{1} << 20}) {
        for (const Outcome& one : on_ranks(
                 ranks, [&](int) { return bytes_of(summed(count)); }, kept)) {
          EXPECT_EQ(one.error, "");
          EXPECT_EQ(one.made, alone) << count << " parts on " << ranks << " ranks";
        }
      }
    }
  }
}

// What a sum sends: each part once, cut into the numbers of each rank, and each rank's numbers of the sum.
TEST(Ranks, SumsSendWhatTheyShould) {
  const auto sent = [](Index count) {
    std::vector<std::size_t> out;
    for (const Outcome& one : on_ranks(2, [&](int) { return bytes_of(summed(count)); })) out.push_back(one.sent);
    return out;
  };
  const std::vector<std::size_t> two = sent(2), twelve = sent(12);
  for (const std::size_t r : {0, 1}) EXPECT_EQ(twelve[r] - two[r], 5 * 17 * sizeof(double));
}

TEST(Ranks, EachIsMadeOnceAndTakenInOrderEverywhere) {
  for (const int ranks : {1, 2, 3, 5}) {
    for (const Index count : {0, 1, 4, 11}) {
      std::atomic<int> made = 0;
      for (const Outcome& one : on_ranks(ranks, [&](int) {
             std::string all;
             each(
                 "words", count,
                 [&](Index i) {
                   ++made;
                   EXPECT_FALSE(several());  // within a phase a rank is alone
                   EXPECT_EQ(share(7), (Range{0, 7}));
                   return std::string(static_cast<std::size_t>(i), 'x') + std::to_string(i);
                 },
                 [&](const std::string& word) { all += word + " "; });
             return all + ".";
           })) {
        std::string expected;
        for (Index i = 0; i < count; ++i)
          expected += std::string(static_cast<std::size_t>(i), 'x') + std::to_string(i) + " ";
        EXPECT_EQ(one.made, expected + ".");
      }
      EXPECT_EQ(made, count);
    }
  }
}

// What a loop calls is called on one rank: the others are in loops of their own.
TEST(Ranks, InALoopARankIsAlone) {
  for (const Outcome& one : on_ranks(2, [](int) {
         for (const int threads : {1, 2}) {
           parallel_for(5, threads, {}, "loop", [](Index, int) { EXPECT_FALSE(several()); });
         }
         return several() ? "again several" : "";
       })) {
    EXPECT_EQ(one.made, "again several");
  }
  EXPECT_FALSE(several());
  EXPECT_EQ(ranks(), 1);
}

TEST(Ranks, SharesFollowOnEachOtherAndDifferByOne) {
  for (const Index all : {0, 1, 5, 64}) {
    std::vector<Range> shares(3);
    (void)on_ranks(3, [&](int r) {
      shares[static_cast<std::size_t>(r)] = share(all);
      return "";
    });
    EXPECT_EQ(shares[0].begin, 0);
    EXPECT_EQ(shares[2].end, all);
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(shares[r].end, r < 2 ? shares[r + 1].begin : all);
      EXPECT_LE(std::abs(3 * shares[r].size() - all), 3);
    }
  }
}

TEST(Ranks, RowsOfOthersAreFilledIn) {
  for (const Outcome& one : on_ranks(3, [](int) {
         const Matrix whole = test::random_matrix(10, 4, 1);
         Matrix mine(10, 4);
         const Range own = share(10);
         for (Index i = own.begin; i < own.end; ++i) std::copy_n(whole.row(i), 4, mine.row(i));
         gather_rows("rows", mine, own);
         return mine == whole ? "same" : "other";
       })) {
    EXPECT_EQ(one.made, "same");
  }
}

TEST(Ranks, AFaultOfOneIsThatOfAll) {
  const auto failing = [](const std::function<void()>& fault, bool in_phase) {
    std::string out;
    for (const Outcome& one : on_ranks(3, [&](int r) {
           (void)summed(5);
           if (r == 1 && !in_phase) fault();
           phase("work", [&] {
             if (r == 1) fault();
           });
           (void)summed(5);
           return "made";
         })) {
      EXPECT_EQ(one.made, "");
      if (out.empty()) out = one.error;
      EXPECT_EQ(one.error, out);
    }
    return out;
  };
  for (const bool in_phase : {true, false}) {
    const std::string ragged =
        failing([] { throw Error(ErrorKind::data, "part-2.csv:7: 3 columns instead of 4"); }, in_phase);
    EXPECT_EQ(ragged, "DataError: part-2.csv:7: 3 columns instead of 4 (rank 1 of 3, on " + host() + ")");
    EXPECT_NE(failing([] { throw std::bad_alloc(); }, in_phase).find("out of memory"), std::string::npos);
    EXPECT_NE(failing([] { throw std::out_of_range("7"); }, in_phase).find("report this as a bug (rank 1"),
              std::string::npos);
  }
}

// What all say alike is said without a rank; and all can go on after an Error that was caught.
TEST(Ranks, WhatIsCaughtEverywhereIsOver) {
  for (const Outcome& one : on_ranks(2, [](int) {
         std::string out;
         try {
           phase("work", [] { throw Error(ErrorKind::cancelled, "stopped"); });
         } catch (const Error& error) {
           EXPECT_EQ(error.kind(), ErrorKind::cancelled);
           out = error.message();
         }
         return out + " " + bytes_of(summed(4));
       })) {
    EXPECT_EQ(one.made, "stopped " + bytes_of(summed(4)));
  }
}

TEST(Ranks, DifferentWaysEndWithAnError) {
  for (const bool one_ends : {true, false}) {
    for (const Outcome& one : on_ranks(3, [&](int r) {
           (void)summed(2);
           if (r == 2 && one_ends) return "early";
           r == 2 ? (void)each(
                        "words", 2, [](Index) { return ""; }, [](const std::string&) {})
                  : (void)summed(2);
           return "late";
         })) {
      EXPECT_NE(one.error.find("the ranks went different ways"), std::string::npos) << one.error;
    }
  }
}

TEST(Ranks, MustSeeTheSame) {
  for (const Outcome& one : on_ranks(3, [](int r) {
         require_same("version", "0.5");
         require_same("train.csv", r == 2 ? "90 bytes" : "100 bytes");
         return "same";
       })) {
    EXPECT_EQ(one.error, "DataError: train.csv: rank 2, on " + host() + ", has 90 bytes, and rank 0, on " + host() +
                             ", 100 bytes; they must be the same");
  }
  for (const Outcome& one : on_ranks(2, [](int r) {
         return of_first("word", [&] { return "from " + std::to_string(r); }) + (speaks() ? " spoken" : "");
       })) {
    EXPECT_EQ(one.made.substr(0, 6), "from 0");
  }
}

}  // namespace
}  // namespace mercer::distributed::ranks_test
