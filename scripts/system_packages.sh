#!/usr/bin/env bash
# Says which packages of the system are missing: scripts/system_packages.sh LIST
#
# LIST has one package of Debian or Ubuntu a line, and comments behind #. Nothing is installed.
set -euo pipefail

list=$1
missing=()
while read -r package || [[ -n $package ]]; do
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null) || status=none
    [[ $status == installed ]] || missing+=("$package")
done < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$list")

if ((${#missing[@]})); then
    printf 'error: packages of the system are missing, of those in %s: %s\n' "$list" "${missing[*]}" >&2
    printf 'As root, on Debian or Ubuntu: apt-get update && apt-get install %s\n' "${missing[*]}" >&2
    exit 2
fi
