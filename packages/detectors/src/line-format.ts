// Finds the syntax of single lines: commands and settings in prose, and files within YAML.
import { formatOf } from "./format.ts";
import type { Format } from "./format.ts";

const FENCE = /^[ \t>]{0,12}(?:```|~~~)[ \t]*([\w+-]{0,20})[^\n`]{0,80}$/gm;
const BY_LANGUAGE: Readonly<Record<string, Format>> = {
  "": "assignments",
  bash: "shell",
  sh: "shell",
  shell: "shell",
  zsh: "shell",
  console: "shell",
  batch: "shell",
  bat: "shell",
  cmd: "shell",
  yaml: "yaml",
  yml: "yaml",
  ini: "assignments",
  conf: "assignments",
  properties: "assignments",
  env: "assignments",
  dotenv: "assignments",
};
const COMMAND =
  /^\s{0,12}(?:[$#>%]\s+|\w:\\[^>]{0,60}>\s*|\[?\w+@[\w.-]+[^$#\n]{0,40}[$#]\s+)?(?:sudo\s+)?(?:docker|podman|mysql\w*|mariadb\w*|pg_\w+|psql|redis-cli|mongo\w*|mount|net use|net user|curl|wget|export|echo|printf|sshpass|ansible\w*|kubectl|helm|htpasswd|smbclient|ldap\w+|rclone|restic|openstack|rabbitmqctl|mosquitto_\w+|smbpasswd|useradd|usermod|chpasswd|snmp\w+|ipmitool|xfreerdp|sqlplus|sqlcmd)\s/i;
/** MikroTik's `/ppp secret add name=x password=y`. */
const ROUTER = /^\s{0,12}\/[a-z][a-z -]{1,40} (?:add|set) /;

interface Block {
  from: number;
  to: number;
  format: Format;
}

/** The syntax of the line that starts at `from`, in a file of this syntax. */
export function lineFormats(text: string, format: Format): (from: number, line: string) => Format {
  if (format !== "text" && format !== "yaml") return () => format;
  const blocks = format === "yaml" ? filesIn(text) : blocksOf(text);
  return (from, line) => {
    if (format === "text" && COMMAND.test(line)) return "shell";
    if (format === "text" && ROUTER.test(line)) return "assignments";
    return blocks.find((each) => from >= each.from && from < each.to)?.format ?? format;
  };
}

const SCALAR =
  /^(?<indent>[ \t]{0,40})(?:- )?["']?(?<name>content|[\w-]{1,60}\.[\w.-]{1,40})["']?:[ \t]*[|>][+-]?\d?[ \t]*\n(?<body>(?:\k<indent>[ \t]+\S[^\n]*(?:\n|$)|[ \t]*\n)+)/gm;

/** Files in YAML: `content: |` of cloud-init, `app.properties: |` of a ConfigMap. */
function filesIn(text: string): Block[] {
  const blocks: Block[] = [];
  for (const scalar of text.matchAll(SCALAR)) {
    if (blocks.length >= MOST_BLOCKS) break;
    const { name = "", body = "" } = scalar.groups ?? {};
    const format = formatOf(name, body.trimStart());
    const to = scalar.index + scalar[0].length;
    if (format !== "text") blocks.push({ from: to - body.length, to, format });
  }
  return blocks;
}

/** Files with more blocks are no notes. */
const MOST_BLOCKS = 100;

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { from: number; format: Format } | null = null;
  for (const fence of text.matchAll(FENCE)) {
    if (blocks.length >= MOST_BLOCKS) break;
    if (open === null) {
      const format = BY_LANGUAGE[fence[1]!.toLowerCase()] ?? "text";
      open = { from: fence.index + fence[0].length, format };
    } else {
      blocks.push({ ...open, to: fence.index });
      open = null;
    }
  }
  return blocks;
}
