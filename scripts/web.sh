#!/bin/sh
# web.sh build|test: the page of reports and of the studio, by npm: web/dist/mercer.html, or its tests.
set -eu

cd "$(dirname "$0")/../web"
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  echo "web: npm and node are missing; with node 20.19 or newer, run make again (all else builds without)" >&2
  exit 1
fi
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
  echo "web: node $(node --version) is too old; vite needs 20.19 or newer" >&2
  exit 1
fi
# The versions are those of package-lock.json; no browser is fetched, Debian's is taken.
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
if ! [ -d node_modules ] || [ package-lock.json -nt node_modules ]; then
  npm install --no-save --no-audit --no-fund
  touch node_modules
fi
npm run --silent check
case $1 in
  build) npm run --silent build ;;
  test)
    npm run --silent test
    npm run --silent e2e
    ;;
esac
