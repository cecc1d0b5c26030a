#!/usr/bin/env bash
# Installs Truecast from tarballs, and the agent from the lock file beside this script, below RUNNER_TEMP.
# No name of a package is looked up for Truecast itself: the tarballs are its packages.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="$RUNNER_TEMP/truecast"
packages="${PACKAGES:-}"
mkdir -p "$target/program" "$target/agent"

if [ ! -d "$target/program/node_modules/truecast" ]; then
  if [ -z "$packages" ]; then
    packages="$target/tarballs"
    (cd "$here/.." && npm ci --no-audit --no-fund && npm run pack -- "$packages")
  fi
  # In the folder: `--prefix` would hide npm's global configuration.
  cd "$target/program"
  echo '{ "private": true }' > package.json
  npm install --no-audit --no-fund --ignore-scripts --prefer-offline \
    "$packages"/truecast-core-[0-9]*.tgz "$packages"/truecast-model-[0-9]*.tgz "$packages"/truecast-[0-9]*.tgz
fi

# `claude-code` or `claude-code:MODEL`. Without a lock file, such as for `command:LINE`, the program must be
# on the PATH already.
agent="${AGENT%%:*}"
if [ "${STEP:-agent}" = agent ] && [[ "$agent" =~ ^[a-z-]+$ ]] && [ -f "$here/agents/$agent/package-lock.json" ]; then
  cd "$target/agent"
  cp "$here/agents/$agent"/package*.json .
  npm ci --no-audit --no-fund --prefer-offline
fi
