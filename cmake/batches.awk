# awk -v size=N -v base=FOLDER -v roots=FOLDER:... [-v mixed=1] -f batches.awk FILE...: prints "FILE BATCH" for the files that
# may be compiled together, up to N at a time and, unless they may be mixed, of one room: the first two folders below the
# base. What a file has for itself (in a namespace without a name, static, by `using`) must
# not stand in another one of its batch, neither as a word of its code nor declared by a header that it includes (looked for in
# the roots): then everything means the same there as alone. Within a namespace named like the file (mercer::ridge_test in
# ridge_test.cpp) nothing can meet. A file with a macro or a `using namespace` of its own stays alone.

function folder_of(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "." }

function room_of(path,    part, n) {
  if (mixed) return "mixed"
  if (index(path, base "/") == 1) path = substr(path, length(base) + 2)
  n = split(path, part, "/")
  return n > 2 ? part[1] "_" part[2] : n == 2 ? part[1] : "top"
}

function declare(path, name) {
  if (name !~ /^[0-9]|^$|^extern$|^static_assert$/ && !((path, name) in declares)) {
    declares[path, name] = 1
    names[path] = names[path] " " name
  }
}

function declare_words(path, text,    word, n, i) {
  gsub(/[^A-Za-z0-9_]+/, " ", text)
  n = split(text, word, " ")
  for (i = 1; i <= n; i++) declare(path, word[i])
}

# What is declared at the left edge, or at the edge of a namespace without a name: names[path]; of a header all of it.
# Words of the code: said[path, word]. Headers of ours: included[path].
function look(path, header,    line, text, rest, word, n, i, stem, inner, apart, pending, found) {
  if (path in looked) return
  looked[path] = 1
  stem = path
  sub(/.*\//, "", stem)
  sub(/\..*/, "", stem)
  while ((getline line < path) > 0) {
    if (line ~ /^#include "/) {
      text = line
      sub(/^#include "/, "", text)
      sub(/".*/, "", text)
      included[path] = included[path] " " text
    }
    if (line ~ /^#define/) alone[path] = 1
    if (line ~ /^#/) continue
    if (line ~ /^\}  \/\/ namespace$/) inner = 0
    gsub(/\\./, "", line)
    gsub(/"[^"]*"/, "", line)
    sub(/\/\/.*/, "", line)
    text = line
    gsub(/\.\.\./, " ", text)
    gsub(/(\.|->) *[A-Za-z_][A-Za-z0-9_]*/, " ", text)  # looked for in a class, never among what a file has for itself
    gsub(/[^A-Za-z0-9_]+/, " ", text)
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) said[path, word[i]] = 1

    if (line ~ /^namespace mercer(::[a-z0-9_]+)* \{/) {
      text = line
      sub(/ \{.*/, "", text)
      apart = text ~ ("::" stem "$")
    }
    if (line ~ /^namespace \{/) inner = !apart
    if (line ~ /^namespace [A-Za-z0-9_:]* ?\{/ || apart) continue
    if (line ~ /^using namespace/) alone[path] = 1
    if (line ~ /^using / || line ~ /^namespace [A-Za-z_0-9]+ =/) {
      text = line
      sub(/ =.*/, "", text)
      sub(/;.*/, "", text)
      sub(/.*[ :]/, "", text)
      declare(path, text)
      used[path, text] = line
      continue
    }
    if (!header && !inner && line !~ /^static / && pending == "") continue
    if (line ~ /^enum [^c]/) declare_words(path, substr(line, index(line, "{")))  # its values are names too
    # A declaration may go on in the lines below it.
    if (line ~ /^[A-Za-z_\[]/ && line !~ /^template/) {
      pending = line
    } else if (pending != "") {
      pending = pending " " line
    }
    text = pending
    gsub(/\[\[[^\]]*\]\]/, "", text)
    while (gsub(/<[^<>]*>/, "", text)) {}
    if (!match(text, /[({=;\[]/)) continue
    rest = substr(text, RSTART)
    text = substr(text, 1, RSTART - 1)
    while (rest ~ /^=/ && match(rest, /, [A-Za-z0-9_]+ =/)) {  # a = 1, b = 2
      declare(path, substr(rest, RSTART + 2, RLENGTH - 4))
      rest = "=" substr(rest, RSTART + RLENGTH)
    }
    sub(/ : .*/, "", text)  # bases
    sub(/ *(final)? *$/, "", text)
    if (text !~ /::~?[A-Za-z0-9_]+$/) {  # of a class that was declared before
      sub(/.*[^A-Za-z0-9_]/, "", text)
      declare(path, text)
    }
    pending = ""
  }
  close(path)
}

# The headers of ours that a file includes, by whatever way: sees[file, header].
function follow(file, path,    inc, n, i, r, at, line) {
  n = split(included[path], inc, " ")
  for (i = 1; i <= n; i++) {
    for (r = 0; r <= rooted; r++) {
      at = (r == 0 ? folder_of(path) : root[r]) "/" inc[i]
      if (!(at in exists)) {
        exists[at] = (getline line < at) > 0
        close(at)
      }
      if (exists[at]) break
    }
    if (r > rooted || (file, at) in sees) continue
    sees[file, at] = 1
    headers[file] = headers[file] "\n" at
    look(at, 1)
    follow(file, at)
  }
}

function meet(a, b,    name, n, i, header, m, j) {
  n = split(names[a], name, " ")
  m = split(headers[b], header, "\n")
  for (i = 1; i <= n; i++) {
    if ((a, name[i]) in used && used[a, name[i]] == used[b, name[i]]) continue  # the same name for the same thing
    if ((b, name[i]) in said) return 1
    for (j = 1; j <= m; j++) if ((header[j], name[i]) in declares && !((a, header[j]) in sees)) return 1
  }
  return 0
}

BEGIN {
  rooted = split(roots, root, ":")
  for (f = 1; f < ARGC; f++) {
    file = ARGV[f]
    look(file, 0)
    follow(file, file)
    if (file in alone) continue
    room = room_of(file)
    for (b = 1; b <= batches[room]; b++) {
      if (held[room, b] >= size) continue
      free = 1
      for (i = 1; free && i <= held[room, b]; i++) {
        other = member[room, b, i]
        free = !meet(file, other) && !meet(other, file)
      }
      if (free) break
    }
    if (b > batches[room]) batches[room] = b
    held[room, b]++
    member[room, b, held[room, b]] = file
    print file, room "_" b
  }
}
