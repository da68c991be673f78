# The string kernels of kernlab, in one process: seconds, and a corner of each matrix, as one JSON line.
#     Rscript strings_peer.R sequence|spectrum FILE LENGTH [STRINGS]
# FILE is label<TAB>string a line; STRINGS takes the first so many.
library(kernlab)

words <- commandArgs(trailingOnly = TRUE)
text <- read.delim(words[2], header = FALSE, quote = "", colClasses = "character")[[2]]
if (length(words) > 3) text <- head(text, as.integer(words[4]))
kernel <- if (words[1] == "sequence") {
  stringdot(type = "sequence", length = as.integer(words[3]), lambda = 0.5, normalized = FALSE)
} else {
  stringdot(type = "spectrum", length = as.integer(words[3]), normalized = FALSE)
}
seconds <- system.time(K <- kernelMatrix(kernel, as.list(text)))[["elapsed"]]
corner <- K[seq_len(min(20, nrow(K))), seq_len(min(20, ncol(K)))]
cat(sprintf('{"strings": %d, "seconds": %.4f, "corner": [%s], "version": "%s"}\n', length(text), seconds,
            paste(sprintf("%.17g", t(corner)), collapse = ", "), packageVersion("kernlab")))
