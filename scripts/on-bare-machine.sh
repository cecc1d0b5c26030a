#!/usr/bin/env bash
# Bare machine: runs a command where the programs that only some suites need are not installed.
# The files are hidden in a private mount namespace, so the machine stays as it is. Linux.
#   scripts/on-bare-machine.sh npm test
set -euo pipefail

if [ -z "${TRUECAST_BARE:-}" ]; then
  [ "$(id -u)" = 0 ] && user=() || user=(--user --map-root-user)
  TRUECAST_BARE=1 exec unshare "${user[@]}" --mount --propagation private "$BASH_SOURCE" "$@"
fi

programs=(bwrap podman docker dockerd containerd runc crun git-lfs strace prometheus promtool python3 chromium chromium-headless-shell chromium-browser google-chrome)
programs+=(postgres initdb pg_ctl psql)

# In an overlay, a deletion changes only the upper layer, which is in memory and private.
layers=$(mktemp -d)
mount -t tmpfs tmpfs "$layers"
for folder in /usr/local/bin /usr/local/sbin /usr/bin /usr/sbin; do
  layer="$layers$folder"
  mkdir -p "$layer/upper" "$layer/work"
  mount -t overlay overlay -o "lowerdir=$folder,upperdir=$layer/upper,workdir=$layer/work" "$folder"
  (cd "$folder" && rm -f "${programs[@]}")
done
for folder in /usr/lib/postgresql /usr/lib/chromium; do
  [ ! -d "$folder" ] || mount -t tmpfs tmpfs "$folder"
done

umount --lazy "$layers" # the overlays still use it
rmdir "$layers"

hash -r
for program in "${programs[@]}"; do
  if command -v "$program" >/dev/null; then
    echo "\`$program\` is still in PATH: $(command -v "$program")" >&2
    exit 1
  fi
done
unset CI TRUECAST_CHROMIUM
exec "$@"
