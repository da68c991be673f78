#include "domains/strings/row.hpp"

#include "base/random.hpp"
#include "domains/strings/fasta.hpp"
#include "domains/strings/letters.hpp"
#include "kernel/leaves.hpp"
#include "kernel/rows.hpp"

namespace mercer::detail {

using namespace row;

namespace {

std::vector<FileFormat> string_formats() {
  return {{.name = "fasta",
           .endings = {".fasta", ".fa", ".fna", ".faa", ".ffn"},
           .looks_so = looks_like_fasta,
           .read = parse_fasta}};
}

Arg alphabet() { return one_of("alphabet", alphabet_names()); }
Arg strands() { return one_of("reverse_complement", {"no", "yes"}); }
Arg decay(double fallback) {
  return {.name = "decay", .kind = ArgKind::real, .fallback = fallback, .range = {.upper = 1}};
}

}  // namespace

DomainRow strings_domain() {
  return {.kind = "strings",
          .kernels = string_kernels,
          .loads = {{"strings", load_strings}},
          .formats = string_formats,
          .sample = sample_strings};
}

// clang-format off
std::vector<Entry> string_kernels() {
  const std::string letters =
      "letters are bytes, UTF-8 characters (alphabet=chars) or those of dna, rna, protein, where case does not matter and "
      "anything else is refused";
  const std::string strands_alike =
      "; reverse_complement=yes (dna) takes a pattern and the one on the other strand, read backwards, for the same";
  return {
      featured({"spectrum", axiom, "strings", {whole("k", 3, 1, 1 << 20), alphabet(), strands()},
       "sum_s count_s(x) count_s(y) over substrings s of k letters",
       "k a whole number >= 1; strings shorter than k share nothing: 0; " + letters + strands_alike,
       "the inner product of counts of contiguous substrings", "Leslie, Eskin & Noble 2002",
       "spectrum(k=3)", emit_inner_product, check_strands}, spectrum_features),
      featured({"substrings", axiom, "strings", {whole("min", 1, 1, 1000), whole("max", 5, 1, 1000), decay(1), alphabet()},
       "sum_s decay^(2 length(s)) count_s(x) count_s(y) over substrings s of min to max letters",
       "1 <= min <= max, 0 < decay <= 1: decay once for each letter in each of the strings; " + letters,
       "the inner product of counts of contiguous substrings, each times decay^length",
       "Vishwanathan & Smola 2003", "substrings(min=1, max=4, decay=0.5)", emit_substrings, check_substrings}, substring_features),
      {"subsequence", axiom, "strings",
       {whole("length", 3, 1, 1000), decay(0.5), one_of("kind", {"exact", "blended"}), alphabet()},
       "sum over equal subsequences of x and y of decay^(span in x + span in y), span: places from the first to the last letter",
       "length a whole number >= 1, 0 < decay <= 1; subsequences of just so many letters (kind=exact) or of 1 to so many "
       "(kind=blended); decay=1 counts pairs of index sets; a pair takes length times letters of x times letters of y steps, at most 2e10; " + letters,
       "the inner product, over all subsequences u, of sums of decay^span over the places where u stands",
       "Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins 2002", "subsequence(length=3, decay=0.5)", emit_subsequence},
      featured({"gapped", axiom, "strings", {whole("g", 5, 1, 64), whole("k", 3, 0, 64), alphabet(), strands()},
       "sum_p count_p(x) count_p(y) over patterns p: windows of g letters of which k count, the places of these included",
       "0 <= k <= g, at most 100000 ways to choose k of g; strings shorter than g share nothing: 0; " + letters + strands_alike,
       "the inner product of counts of gapped substrings", "Ghandi, Lee, Mohammad-Noori & Beer 2014",
       "gapped(g=4, k=2)", emit_inner_product, check_gapped}, gapped_features),
      {"mismatch", axiom, "strings", {whole("k", 3, 1, 64), whole("m", 1, 0, 64), alphabet()},
       "sum_s near_s(x) near_s(y) over all strings s of k letters of the alphabet; near_s counts substrings that differ from s in at most m letters",
       "0 <= m <= k; the alphabet is that of the argument, whatever letters the data have: 256 bytes, 1112064 characters, "
       "4 letters of dna and rna, 20 of protein; strings shorter than k share nothing: 0; " + letters,
       "the inner product of counts of substrings, each counted for all that are near it", "Leslie, Eskin, Weston & Noble 2003",
       "mismatch(k=3, m=1, alphabet=dna)", emit_mismatch, check_mismatch},
      {"weighted_degree", axiom, "strings", {whole("d", 3, 1, 100'000), alphabet()},
       "sum_{k=1}^d beta_k sum_i [x and y have the same k letters from place i on], beta_k = 2 (d-k+1) / (d (d+1))",
       "d a whole number >= 1; strings of one length; " + letters,
       "the inner product of indicators of substrings and their places, with weights >= 0", "Raetsch & Sonnenburg 2004",
       "weighted_degree(d=3)", emit_weighted_degree},
  };
}
// clang-format on

// Words of few letters, so that they share substrings, and of one length, as some kernels need; one comes twice.
Points sample_strings(Index count, std::uint64_t seed) {
  constexpr int length = 9;
  Random random(seed);
  std::vector<std::string> words(static_cast<std::size_t>(count));
  for (std::string& word : words) {
    for (int p = 0; p < length; ++p) word += "ACGT"[random.below(4)];
  }
  if (words.size() > 3) words.back() = words[1];
  return strings(std::move(words));
}

}  // namespace mercer::detail
