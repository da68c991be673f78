#include "mercer/proof.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json.hpp"
#include "mercer/kernels.hpp"
#include "mercer/similarity.hpp"
#include "support.hpp"

namespace mercer::proof_test {
namespace {

Kernel assumed() { return assume_psd(Similarity::formula("tanh(dot(x,y))"), "checked on this data set"); }

TEST(Proof, EveryRuleShowsItsPremises) {
  const Kernel a = linear(), b = rbf(1.0);
  struct Case {
    Kernel k;
    std::string rule;
    std::vector<Kernel> premises;
  };
  const std::vector<Case> cases{
      {a + b, "sum", {a, b}},
      {a + b + cosine(), "sum", {a, b, cosine()}},
      {a * b, "product", {a, b}},
      {2.0 * b, "scale", {b}},
      {pow(b, 3), "power", {b}},
      {exp(a), "exp", {a}},
      {polynomial({1, 2}, a), "polynomial", {a}},
      {normalize(a + b), "normalize", {a + b}},
      {scaled("norm", b), "scaled", {b}},
      {warp("tanh", b), "warp", {b}},
      {on("x", b), "on", {b}},
  };
  for (const Case& c : cases) {
    const Proof proof = c.k.proof();
    EXPECT_EQ(proof.statement, c.k.str());
    EXPECT_EQ(proof.rule, c.rule);
    EXPECT_FALSE(proof.because.empty());
    ASSERT_EQ(proof.premises.size(), c.premises.size()) << c.k.str();
    for (std::size_t p = 0; p < c.premises.size(); ++p) {
      EXPECT_EQ(parse(proof.premises[p].statement), c.premises[p]);
      EXPECT_EQ(proof.premises[p].rule, c.premises[p].proof().rule);
    }
  }
}

TEST(Proof, AxiomsHaveNoPremisesAndGiveAReason) {
  for (const CatalogRow& row : catalog()) {
    if (row.is_rule || row.example.empty()) continue;
    const Proof proof = parse(row.example).proof();
    EXPECT_TRUE(proof.premises.empty()) << row.name;
    EXPECT_EQ(proof.rule, row.name);
    EXPECT_TRUE(proof.because.starts_with(row.because)) << row.name;
    EXPECT_EQ(proof.citation, row.citation);
  }
}

TEST(Proof, SideConditionsCarryTheirValues) {
  EXPECT_EQ(rbf(0.5).proof().conditions, "ell = 0.5 > 0");
  EXPECT_EQ(rbf(Vector{1, 2}).proof().conditions, "ell = [1, 2] > 0");
  EXPECT_EQ(constant(2).proof().conditions, "c = 2 >= 0");
  EXPECT_EQ(rq(1.2, 0.8).proof().conditions, "ell = 1.2 > 0; alpha = 0.8 > 0");
  EXPECT_EQ(poly(3, 1).proof().conditions, "degree = 3, a whole number >= 1; c = 1 >= 0");
  EXPECT_EQ(arccos(1).proof().conditions, "order = 1, one of 0, 1");
  EXPECT_EQ((3.0 * linear()).proof().conditions, "scale = 3 >= 0");
  EXPECT_EQ(polynomial({1, 0, 2}, linear()).proof().conditions, "coefficients = [1, 0, 2] >= 0");
  EXPECT_NE(quadratic(Matrix{{2, 1}, {1, 2}}).proof().conditions.find("eigenvalue"), std::string::npos);
  EXPECT_NE(min().proof().conditions.find(">= 0"), std::string::npos);
}

TEST(Proof, DrawsOneStepALine) {
  const Kernel k = 2.0 * rbf(0.5) + pow(1.0 + linear(), 3) * on("age", periodic(1, 1));
  const std::string text = k.proof().str();
  // sum, scale, rbf, product, power, sum, const, linear, on, periodic
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  for (const char* piece : {"sum", "scale by 2 >= 0", "rbf(ell=0.5)", "[ell = 0.5 > 0]", "Schoenberg 1938", "power 3",
                            "on(age, ...)", "periodic(period=1, ell=1)", "Schur 1911", "├─ ", "└─ "}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << " in\n" << text;
  }
}

TEST(Proof, RulesWithAChoiceShowIt) {
  EXPECT_TRUE(warp("tanh", rbf(1.0)).proof().str().starts_with("warp(tanh, ...)"));
  EXPECT_TRUE(scaled("norm", 1.0 + linear()).proof().str().starts_with("scaled(norm, ...)"));
  EXPECT_TRUE(polynomial({1, 2}, linear()).proof().str().starts_with("polynomial([1, 2], ...)"));
}

TEST(Proof, AssumptionsAreFlaggedWhereverTheyStand) {
  EXPECT_FALSE((linear() + exp(rbf(1.0))).proof().assumes());
  const std::vector<Kernel> kernels{assumed(), assumed() + linear(), 2.0 * (linear() * assumed()),
                                    normalize(exp(on("x", pow(assumed(), 2)))),
                                    warp("tanh", scaled("norm", polynomial({1, 1}, assumed())))};
  for (const Kernel& k : kernels) {
    EXPECT_TRUE(k.proof().assumes()) << k.str();
    EXPECT_NE(k.proof().str().find("ASSUMED, not proved, because: checked on this data set"), std::string::npos)
        << k.str();
    EXPECT_NE(k.proof().json().find("ASSUMED"), std::string::npos);
  }
}

void expect_mirrors(const Json& json, const Proof& proof) {
  EXPECT_EQ(json.at("statement"), proof.statement);
  EXPECT_EQ(json.at("rule"), proof.rule);
  EXPECT_EQ(json.at("because"), proof.because);
  EXPECT_EQ(json.at("conditions"), proof.conditions);
  EXPECT_EQ(json.at("citation"), proof.citation);
  ASSERT_EQ(json.at("premises").size(), proof.premises.size());
  for (std::size_t p = 0; p < proof.premises.size(); ++p) expect_mirrors(json.at("premises")[p], proof.premises[p]);
}

TEST(Proof, JsonMirrorsTheTree) {
  const Kernel k = on("my \"column\"", 2.0 * rbf(0.5) + normalize(exp(linear()))) * assumed();
  const Proof proof = k.proof();
  expect_mirrors(Json::parse(proof.json()), proof);
}

TEST(Proof, JsonHoldsNamesThatAreNoUtf8) {
  const Proof proof = on(Columns{"\xFF"}, linear()).proof();
  std::string text;
  ASSERT_NO_THROW(text = proof.json());
  EXPECT_NO_THROW(Json::parse(text));
  EXPECT_FALSE(proof.str().empty());
}

}  // namespace
}  // namespace mercer::proof_test
