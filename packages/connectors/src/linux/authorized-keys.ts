// Edits an account's own `~/.ssh/authorized_keys` on the host: adds a new key beside an old one, and removes the old
// one.
import type { ParsedKey } from "ssh2";

/** A public key as written in the file. */
export interface PublicKey {
  type: string;
  /** Base64, in one piece. */
  blob: string;
}

export function publicKeyOf(key: ParsedKey): PublicKey {
  return { type: key.type, blob: key.getPublicSSH().toString("base64") };
}

/** Exit statuses of the scripts. */
export const NOT_THERE = 3;
export const NOT_WRITTEN = 4;

/**
 * Adds `added` on its own line after each line of `beside`, with that line's options and comment, unless `added` exists
 * already. Exits with `NOT_THERE` when none of the account's files contains `beside`.
 */
export const addCommand = (beside: PublicKey, added: PublicKey) => command("add", beside, added);

/** Removes the lines of `removed` and nothing else. Succeeds when there are none. */
export const removeCommand = (removed: PublicKey) => command("remove", removed, removed);

/** Safe in every shell: the words are checked to contain no character that a shell interprets. */
function command(what: "add" | "remove", key: PublicKey, other: PublicKey): string {
  const words = [what, key.type, key.blob, other.type, other.blob];
  if (!words.every((word) => /^[A-Za-z0-9+/=@.-]+$/.test(word))) throw new Error("A public key has an invalid form");
  return `sh -s ${words.join(" ")}`;
}

/**
 * `sh` reads the script from its input. The whole script is one function that the last line calls: a script cut off in
 * transit runs nothing. The file is written beside the old one and moved over it in one step (rename), with its
 * permissions; a symbolic link stays one.
 */
export const SCRIPT = `
edit() {
  while IFS= read -r line || [ -n "$line" ]; do
    key=no
    case "$line" in
      \\#*) ;;
      *[[:space:]]"$3"*)
        before=\${line%%"$3"*}
        # Another key in front of it: then it stands in a comment.
        case "$before" in *[[:space:]]AAAA*) ;; *"$2"*) key=yes ;; esac ;;
    esac
    if [ "$key" = no ] || [ "$1" = add ]; then printf '%s\\n' "$line" || return 1; fi
    if [ "$key" = yes ] && [ "$1" = add ]; then
      printf '%s%s %s%s\\n' "\${before%"$2"*}" "$4" "$5" "\${line#*"$3"}" || return 1
    fi
  done
}
main() {
  LC_ALL=C; export LC_ALL; umask 077
  found=no
  for file in "$HOME/.ssh/authorized_keys" "$HOME/.ssh/authorized_keys2"; do
    [ -f "$file" ] && grep -qF -e "$3" "$file" || continue
    if [ "$1" = add ] && grep -qF -e "$5" "$file"; then found=yes; continue; fi
    real=$(readlink -f "$file" 2>/dev/null) || real=$file
    new="$real.strongroom"
    if rm -f "$new" && cp -p "$real" "$new" && edit "$@" < "$real" > "$new"; then
      if [ "$1" = add ]; then
        grep -qF -e "$5" "$new" || { rm -f "$new"; continue; }
      fi
      sync "$new" 2>/dev/null
      mv -f "$new" "$real" && found=yes && continue
    fi
    rm -f "$new"
    exit ${NOT_WRITTEN}
  done
  [ "$found" = yes ] || [ "$1" = remove ] || exit ${NOT_THERE}
  exit 0
}
main "$@"
`;
