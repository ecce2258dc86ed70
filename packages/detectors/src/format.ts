// Which syntax a file has, from its name and, if that says nothing, from its first lines.

export type Format =
  | "assignments" // dotenv, ini, properties, systemd units, most files below /etc
  | "yaml"
  | "json"
  | "xml"
  | "toml"
  | "shell" // scripts, histories, Dockerfiles, crontabs
  | "hcl"
  | "sql"
  | "code" // programming languages: only literals are values
  | "text"; // prose: documentation, logs, HTML

const BY_ENDING: Record<Format, string> = {
  assignments:
    "env ini cfg cnf conf config properties props prefs service socket timer mount network netdev nmconnection desktop repo list rc cf inf reg ovpn vpn rdp pgpass netrc credentials local defaults sysconfig pcf acl rules secrets cred passwd auth",
  yaml: "yml yaml eyaml sls cff",
  json: "json json5 jsonc jsonl ndjson tfstate ipynb har webmanifest arb avsc geojson lock template workflow",
  xml: "xml xaml csproj vbproj fsproj props targets pom wsdl xsd config nuspec plist resx settings publishsettings pubxml dtsx rdl jmx xslt xsl mobileconfig dtsconfig axml udl",
  toml: "toml",
  shell:
    "sh bash zsh ksh csh fish profile bashrc zshrc history dockerfile containerfile mk mak crontab cron bat cmd command expect exp tcl tm",
  hcl: "tf tfvars hcl nomad",
  sql: "sql psql ddl dml pgsql mysql dump",
  code: "pyi pyx bzl star bazel py pyw ipy js mjs cjs jsx ts mts cts tsx java kt kts groovy gradle scala go rs rb erb rake php phtml inc php5 c h cc cpp cxx hpp hh m mm cs vb fs swift dart lua pl pm t r jl ex exs erl hrl clj cljs hs ml el lisp vue svelte ps1 psm1 psd1 vbs asp aspx jsp cshtml coffee nim zig d pas sol proto thrift graphql gql jenkinsfile sbt cmake bicep cbl cob cpy cobol abap jsonnet libsonnet rego cue dhall pp vim",
  text: "pod mib yang asn asn1 md markdown mdx rst adoc asciidoc txt text log out html htm xhtml tex org wiki po pot csv tsv srt eml msg patch diff css scss less sass svg 1 2 3 4 5 6 7 8",
};

const ENDINGS = new Map<string, Format>();
for (const [format, endings] of Object.entries(BY_ENDING) as [Format, string][])
  for (const ending of endings.split(" ")) if (!ENDINGS.has(ending)) ENDINGS.set(ending, format);

const BY_NAME: readonly (readonly [RegExp, Format])[] = [
  [/^\.?env(?:\..*)?$|^.*\.env(?:\.[\w-]+)?$|^envvars$|^environment$/i, "assignments"],
  [
    /^(?:docker|container)file(?:\..*)?$|^(?:gnu)?makefile(?:\..*)?$|^\.?(?:bash|zsh|sh|ksh|ash|fish|mysql|psql|sqlite|python|rediscli|mongo|dbshell|node_repl)_?history$|^\.(?:bash|zsh|k?sh|c?sh|profile|login)\w*$|^crontab$|^procfile$|^pkgbuild$|^justfile$/i,
    "shell",
  ],
  [/^(?:jenkins|vagrant|gem|rake|cap|fast|pod|brew|bar|guard|dangerf?)file$/i, "code"],
  [/^\.?(?:docker)?config\.json$|^\.dockercfg$/i, "json"],
  [/^(?:readme|changelog|license|copying|news|authors|todo|notes?)(?:\..*)?$/i, "text"],
];

export function formatOf(path: string, text: string): Format {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const base = withoutCopy(name);
  const byName = nameFormat(name) ?? nameFormat(base);
  if (byName !== undefined) return byName;
  const dot = base.lastIndexOf(".");
  const byEnding = dot < 0 ? undefined : ENDINGS.get(base.slice(dot + 1).toLowerCase());
  return refined(byEnding, path, text);
}

const nameFormat = (name: string): Format | undefined => BY_NAME.find(([pattern]) => pattern.test(name))?.[1];

/** `settings.ini.bak` has the syntax of `settings.ini`. */
const withoutCopy = (name: string): string =>
  name.replace(
    /(?:\.(?:bak|old|orig|save|backup|dist|example|sample|template|tmpl|tpl|j2|erb|in|swp|copy|disabled|inactive|default|dpkg-\w+|rpm\w+|ucf-\w+|\d{1,3})|~)+$/i,
    "",
  );

/** Lines of Cisco's IOS and its relatives. */
const EQUIPMENT = /^(?:!.*|version \d[\d.]*|hostname \S+|(?:no )?service \S.*|interface \S+|aaa .*|username .*)$/gm;

/** `*.config` may be XML, a file below /etc/cron.d has no ending, and so on. */
function refined(known: Format | undefined, path: string, text: string): Format {
  const head = text.slice(0, 2048).trimStart();
  if (known === undefined || known === "assignments" || known === "xml") {
    if (head.startsWith("#!")) return scriptOf(head);
    if (/^<\?php\b/i.test(head)) return "code";
    if (/^<(?:\?xml|!DOCTYPE|!--|[A-Za-z][\w:.-]*(?:\s*\/?>|\s+[\w:.-]+\s*=))/.test(head))
      return /^<(?:!DOCTYPE html|html)/i.test(head) ? "text" : "xml";
    if (/^[{[]\s*(?:["{[\]}]|$)/.test(head) && !/^\[[\w .:/@-]+\]\s*(?:[#;\n]|$)/.test(head)) return "json";
    if (known === "xml") return "assignments";
    if (/\/cloud\.cfg(?:$|\.d\/)/.test(path)) return "yaml";
    if (known === "assignments") return "assignments";
    if (/\/log\//.test(path)) return "text";
    if (/\/cron|\/init\.d\/|\/profile\.d\/|\/bin\//.test(path)) return "shell";
    if (
      /^---\s*$/m.test(head.slice(0, 200)) ||
      head.startsWith("#cloud-config") ||
      /^(?:[\w.-]+:(?: .*)?\n){2}/.test(head)
    )
      return "yaml";
    return "assignments";
  }
  if (head.startsWith("#cloud-config")) return "yaml";
  // Exports of equipment have the name of the host, such as `switch1.example.org`.
  if (known === "text" && (head.match(EQUIPMENT) ?? []).length >= 3) return "assignments";
  if (known === "text" && path.endsWith(".txt") && isSettings(head)) return "assignments";
  return known;
}

/** Only lines such as `NAME=value` and comments. */
function isSettings(head: string): boolean {
  const lines = head.split("\n", 40).filter((line) => line.trim() !== "");
  return (
    lines.filter((line) => /^[\w.-]{2,60}[ \t]?=/.test(line)).length >= 2 &&
    lines.every((line, index) => index === 39 || /^(?:[#;]|\[[\w .-]+\]|[\w.-]{2,60}[ \t]?=)/.test(line))
  );
}

function scriptOf(head: string): Format {
  return /^#!.*\b(?:python|perl|ruby|node|php|lua|groovy|pwsh|deno|bun|Rscript)/.test(head) ? "code" : "shell";
}
