// The script that collects the accounts of a Unix host and everything about their privileges, in one round trip.
import { MAX_LISTED_ACCOUNTS } from "../connector.ts";

/**
 * As root if the login is root or sudo needs no password; else as the login itself. The argument of the script is
 * `root`, or the exit status of sudo. A sudo that hangs is given up after 10 s.
 */
export const COLLECTION_COMMAND = `sh -c 'if [ "$(id -u)" = 0 ]; then exec sh -s root; fi; t="timeout 10"; command -v timeout >/dev/null 2>&1 || t=; $t sudo -n true </dev/null >/dev/null 2>&1; r=$?; if [ "$r" = 0 ]; then exec sudo -n sh -s 0; else exec sh -s "$r"; fi'`;

/**
 * `sh` reads the script from its input; the whole script is one function, so that a script cut off in transit runs
 * nothing. Each output line starts with its kind:
 *
 * - C the exit status of a part; O names and addresses of the host; Z the end of the output
 * - P passwd, G group, S shadow (the hash stays on the host), L the last login
 * - F a sudoers file, U a line of it
 * - H account and file of authorized keys, K a line of it
 * - X a private key: owners and modes of file, folder and home, encryption, file, then the output of ssh-keygen -l
 * - N a systemd unit, V a setting of it, W an enabled unit, J a cron job (without the arguments of commands)
 * - B a listening socket, Q a setting of sshd
 *
 * INVARIANT: no hash, no part of a private key, and no argument of a command leaves the host. Users of the host control
 * the files in their homes: each is a regular file, read up to a limit, and paths with control characters are skipped.
 */
export const COLLECTION_SCRIPT = `
main() {
  LC_ALL=C; export LC_ALL
  PATH=$PATH:/usr/sbin:/sbin; export PATH
  umask 077
  command -v timeout >/dev/null 2>&1 || timeout() { shift; "$@"; }
  nl='
'
  printf 'C:sudo:%s\\n' "\${1:-}"
  printf 'O:%s\\nO:%s\\n' "$(hostname 2>/dev/null)" "$(timeout 5 hostname -f 2>/dev/null)"
  for each in $(hostname -I 2>/dev/null | head -c 4096); do printf 'O:%s\\n' "$each"; done

  users=$(timeout 60 getent passwd | head -n ${MAX_LISTED_ACCOUNTS + 1} | head -c 4000000)
  [ -n "$users" ] || users=$(head -n ${MAX_LISTED_ACCOUNTS + 1} /etc/passwd | head -c 4000000)
  printf '%s\\n' "$users" | sed 's/^/P:/'
  timeout 60 getent group | head -n 20000 | sed 's/^/G:/'
  printf 'C:shadow:'; [ -r /etc/shadow ]; echo $?
  if [ -r /etc/shadow ]; then
    awk -F: '{
      hash = $2; state = hash == "" ? "none" : hash ~ /^[!*]/ ? "locked" : "set"
      sub(/^!+/, "", hash); split(hash, part, "$"); kind = hash ~ /^\\$/ ? part[2] : ""
      printf "S:%s:%s:%s:%s:%s:%s\\n", $1, state, $3, $5, $8, kind
    }' /etc/shadow | head -n 20000
  fi

  printf 'C:sudoers:'; [ -r /etc/sudoers ]; echo $?
  ( sudoers /etc/sudoers 0 ) 2>/dev/null | head -n 20000

  patterns=$(timeout 5 sshd -T 2>/dev/null | while read -r key rest; do
    case "$key" in
      authorizedkeysfile) printf '%s\\n' "$rest" ;;
    esac
  done | head -c 4096)
  timeout 5 sshd -T 2>/dev/null | sed -n 's/^\\(permitrootlogin\\|passwordauthentication\\|authorizedkeyscommand\\|trustedusercakeys\\) /Q:\\1:/p' | head -n 10
  [ -n "$patterns" ] || patterns='.ssh/authorized_keys .ssh/authorized_keys2'
  set -f
  printf '%s\\n' "$users" | while IFS=: read -r name x uid gid gecos home shell; do
    [ -n "$home" ] || continue
    for pattern in $patterns; do
      while :; do
        case "$pattern" in
          *%u*) pattern=\${pattern%%"%u"*}$name\${pattern#*"%u"} ;;
          *%h*) pattern=\${pattern%%"%h"*}$home\${pattern#*"%h"} ;;
          *) break ;;
        esac
      done
      case "$pattern" in /*) file=$pattern ;; *) file=$home/$pattern ;; esac
      [ -f "$file" ] && [ -r "$file" ] || continue
      printf 'H:%s:%s\\n' "$name" "$file"
      head -c 65536 "$file" | awk '/AAAA[A-Za-z0-9+\\/]+/ && !/^[ \\t]*#/ { printf "K:%d:%s\\n", NR, substr($0, 1, 20000); if (++n >= 100) exit }'
    done
  done
  set +f
  # Files of one home are read once, even if several accounts share it.
  printf '%s\\n' "$users" | cut -d: -f6 | sort -u | head -n 10000 | while IFS= read -r home; do
    case "$home" in ''|/) continue ;; esac
    for file in "$home"/.ssh/* "$home"/*.pem "$home"/*.key "$home"/id_*; do
      [ -f "$file" ] && [ ! -L "$file" ] && [ -r "$file" ] || continue
      case "$file" in *.pub|*/authorized_keys*|*/known_hosts*|*"$nl"*) continue ;; esac
      start=$(head -c 400 "$file" 2>/dev/null | tr -d '\\000\\r')
      case "$start" in
        "-----BEGIN OPENSSH PRIVATE KEY-----$nl"b3BlbnNzaC1rZXktdjEAAAAABG5vbmU*) locked=no ;;
        "-----BEGIN OPENSSH PRIVATE KEY-----$nl"*|"-----BEGIN ENCRYPTED PRIVATE KEY-----$nl"*) locked=yes ;;
        "-----BEGIN "*"PRIVATE KEY-----$nl"*"Proc-Type: 4,ENCRYPTED"*) locked=yes ;;
        "-----BEGIN "*"PRIVATE KEY-----$nl"*) locked=no ;;
        *) continue ;;
      esac
      modes=$(stat -c '%u,%g,%a' "$file" "\${file%/*}" "$home" 2>/dev/null | tr '\\n' ':')
      printf 'X:%s%s:%s\\n' "$modes" "$locked" "$file"
      timeout 5 ssh-keygen -lf "$file" </dev/null 2>/dev/null | head -n 1 | head -c 1024 | sed 's/^/Y:/'
    done
  done | head -n 8000

  lastlog=$(command -v lastlog || command -v lastlog2)
  printf 'C:lastlog:'; [ -n "$lastlog" ]; echo $?
  [ -z "$lastlog" ] || timeout 20 "$lastlog" 2>/dev/null | head -n 20000 | sed -n 's/^\\([^ ]*\\) .* \\([A-Z][a-z][a-z] *[0-9]* [0-9:]* [+-][0-9]* [0-9]*\\)$/L:\\1:\\2/p'

  folders='/etc/systemd/system /run/systemd/system /usr/local/lib/systemd/system /usr/lib/systemd/system /lib/systemd/system'
  for folder in $folders; do
    [ -d "$folder" ] && [ ! -L "\${folder%/systemd/system}" ] || continue
    find "$folder" -maxdepth 2 -type f \\( -name '*.service' -o -name '*.timer' -o -path '*.d/*.conf' \\) 2>/dev/null | head -n 2000 |
      while IFS= read -r file; do case "$file" in *[!A-Za-z0-9_./@:-]*) ;; *) printf '%s\\n' "$file" ;; esac; done |
      xargs awk '
        FNR == 1 { print "N:" FILENAME }
        /^(User|Unit|OnCalendar|OnBootSec|OnUnitActiveSec|DynamicUser)[ \\t]*=/ { print "V:" substr($0, 1, 256) }
        /^ExecStart[ \\t]*=/ { sub(/^ExecStart[ \\t]*=[ \\t]*[-@:+!|]*/, ""); split($0, word, /[ \\t]/); print "V:ExecStart=" substr(word[1], 1, 256) }
        FNR > 500 { nextfile }' /dev/null 2>/dev/null
    find "$folder" -maxdepth 2 -type l -path '*.wants/*' 2>/dev/null | head -n 2000 | sed 's|.*/|W:|'
  done

  for file in /etc/crontab /etc/cron.d/*; do
    [ -f "$file" ] && [ -r "$file" ] || continue
    case "\${file##*/}" in .*|*[!A-Za-z0-9_-]*) continue ;; esac
    head -c 65536 "$file" | jobs "$file" ''
  done
  cron=0
  for file in /var/spool/cron/crontabs/* /var/spool/cron/*; do
    [ -f "$file" ] && [ -r "$file" ] || continue
    case "\${file##*/}" in *[!A-Za-z0-9_.@-]*) continue ;; esac
    head -c 65536 "$file" | jobs "$file" "\${file##*/}"
  done
  for folder in /var/spool/cron/crontabs /var/spool/cron; do
    if [ -d "$folder" ] && [ ! -r "$folder" ]; then cron=1; fi
  done
  printf 'C:cron:%s\\n' "$cron"

  sockets=$(timeout 10 ss -Hltunpe 2>/dev/null | head -n 1000 | head -c 400000)
  printf 'C:sockets:'; [ -n "$sockets" ]; echo $?
  printf '%s\\n' "$sockets" | sed 's/^/B:/'
  echo Z:
  exit 0
}
sudoers() {
  [ "$2" -lt 8 ] && [ -f "$1" ] && [ -r "$1" ] || return 0
  printf 'F:%s\\n' "$1"
  head -c 1000000 "$1" | while IFS= read -r line || [ -n "$line" ]; do
    printf 'U:%s\\n' "$line"
    case "$line" in
      [@\\#]include[[:space:]]*|[@\\#]includedir[[:space:]]*)
        set -f; set -- "$1" "$2" $line; set +f
        where=\${4#\\"}; where=\${where%\\"}
        case "$where" in *%h*) where=\${where%%"%h"*}$(hostname -s 2>/dev/null)\${where#*"%h"} ;; esac
        case "$where" in /*) ;; *) where=\${1%/*}/$where ;; esac
        case "$line" in
          ?includedir*)
            for inner in "$where"/*; do
              case "\${inner##*/}" in *.*|*~) continue ;; esac
              ( sudoers "$inner" $(($2 + 1)) )
            done ;;
          *) ( sudoers "$where" $(($2 + 1)) ) ;;
        esac
        printf 'F:%s\\n' "$1" ;;
    esac
  done
}
jobs() {
  awk -v user="$2" -v file="$1" '
    /^[ \\t]*#/ || /^[ \\t]*$/ || /^[ \\t]*[A-Za-z_][A-Za-z0-9_]*[ \\t]*=/ { next }
    {
      sub(/^[ \\t]*-?/, ""); n = split($0, word, /[ \\t]+/); last = word[1] ~ /^@/ ? 1 : 5
      when = word[1]; for (i = 2; i <= last; i++) when = when " " word[i]
      who = user; next_ = last + 1
      if (who == "") { who = word[next_]; next_++ }
      program = word[next_]
      for (i = next_; i <= n; i++) if (word[i] ~ /^\\//) { program = word[i]; break }
      if (program ~ /=/) program = ""
      if (who != "" && next_ <= n) printf "J:%s\\t%s\\t%s\\t%s\\n", file, who, when, substr(program, 1, 256)
      if (++count >= 500) exit
    }'
}
main "$@"
`;
