# awk -f count_tests.awk OUTPUTS LOG: names the cases of gtest that failed and prints "N passed, N failed[, N skipped]".
# OUTPUTS is ctest's LastTest.log, what every test printed; LOG is what ctest printed, how every test ended. A test that
# runs many cases of gtest or pytest counts as these; those of gtest that it announced and never came to, because one ended the program,
# have failed.

FNR == 1 { file++ }

file == 1 && /^[0-9]+\/[0-9]+ Testing: / { test = $3 }
file == 1 && /^\[==========\] Running [0-9]+ test/ { cases[test] = $3 }
file == 1 && /^[0-9]+ (passed|failed|skipped)[, ].* in [0-9.]+s/ {  # the last line of pytest -q
  for (i = 2; i <= NF; i++) {
    if ($i ~ /^passed/) passed_of[test] = $(i - 1)
    if ($i ~ /^skipped/) skipped_of[test] = $(i - 1)
    if ($i ~ /^(passed|skipped|failed|error|errors|xfailed|xpassed),?$/) cases[test] += $(i - 1)
    if ($i ~ /^(xfailed|xpassed)/) passed_of[test] += $(i - 1)
  }
}
file == 1 && /\[ RUN      \] / { running[test] = $NF }
file == 1 && /\[       OK \] .* \([0-9]+ ms\)$/ { passed_of[test]++; delete running[test] }
file == 1 && /\[  SKIPPED \] .* \([0-9]+ ms\)$/ { skipped_of[test]++; delete running[test] }
file == 1 && /\[  FAILED  \] .* \([0-9]+ ms\)$/ { print "failed: " running[test]; delete running[test] }

file == 2 && /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
  test = $4
  passed += passed_of[test]
  skipped += skipped_of[test]
  lost = cases[test] - passed_of[test] - skipped_of[test]
  if (test in running) print "failed, and ended its program: " running[test]
  if (/\*\*\*Skipped |\*\*\*Not Run \(Disabled\) /) skipped++
  else if (!/   Passed  /) failed += lost > 0 ? lost : 1
  else if (lost > 0) failed += lost
  else if (!cases[test]) passed++
}

END {
  printf "%d passed, %d failed", passed, failed
  if (skipped) printf ", %d skipped", skipped
  printf "\n"
}
