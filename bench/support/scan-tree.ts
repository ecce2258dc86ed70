// A tree of files as on a host with applications: mostly code, logs and documents, some settings, few secrets.
import { corpus } from "./scan-corpus.ts";

export interface TreeFile {
  path: string;
  content: Uint8Array;
}

const PLAIN = [
  "  const response = await fetch(`${base}/api/v1/items/${id}`, { method: 'GET', headers });",
  "export function renderItem(item, options = {}) { return template(item.name, options.locale); }",
  "    if err := json.NewDecoder(r.Body).Decode(&payload); err != nil { return nil, err }",
  "        self.logger.debug('processing %s items for user %s', len(items), user.id)",
  "  for (let index = 0; index < rows.length; index += 1) total += rows[index].amount * rate;",
  "    public Optional<Order> findById(final long id) { return repository.findById(id).map(mapper::toDto); }",
  "import { useState, useEffect, useMemo } from 'react';",
  "  .panel { color: #334455; padding: 0 1.5rem; border-radius: 4px; }",
];
/** Lines with words such as key or token are rarer than the others, as in real code. */
const RARE = [
  "  /* Returns the number of tokens that the lexer has read so far. */",
  "  const key = keys[index]; cache.set(key, value); map.delete(oldKey);",
  "    token = next(self.tokens); if token.type == 'IDENT': return self.parse_name(token)",
  "  return password === confirmation ? null : t('errors.passwords_differ');",
];
const CODE = [...PLAIN, ...PLAIN, ...PLAIN, ...PLAIN, ...PLAIN, ...RARE];
const LOG = [
  "2026-03-04T10:15:22.123Z INFO  http request completed method=GET path=/api/v1/items status=200 duration=12ms",
  "Mar  4 10:15:22 web1 sshd[2211]: Accepted publickey for deploy from 10.0.0.7 port 51234 ssh2",
  "Mar  4 10:15:23 web1 systemd[1]: Started Session 1234 of user deploy.",
  '10.0.0.9 - - [04/Mar/2026:10:15:22 +0000] "GET /static/app.js HTTP/1.1" 200 51234 "-" "Mozilla/5.0"',
];
const PROSE = [
  "The scheduler reads its settings once at start; send it a signal to read them again.",
  "Licensed under the Apache License, Version 2.0; you may not use this file except in compliance with it.",
  "Authors keep the copyright of their work. See the list of authors for their names and addresses.",
];
const SETTINGS = [
  "listen_port = 8080",
  "cache.size=512m",
  "log_level: info",
  "max_connections = 200",
  "<timeout>30</timeout>",
  "enabled: true",
];
const KINDS = [
  { path: "/srv/app/src/module", ending: ".js", lines: CODE, share: 0.5 },
  { path: "/srv/app/lib/part", ending: ".py", lines: CODE, share: 0.15 },
  { path: "/var/log/app/app", ending: ".log", lines: LOG, share: 0.2 },
  { path: "/usr/share/doc/pkg/readme", ending: ".txt", lines: PROSE, share: 0.1 },
  { path: "/etc/app/conf.d/part", ending: ".conf", lines: SETTINGS, share: 0.04 },
] as const;
/** Bytes of an average file: a tree of 200 MB has about 18,000 files. */
const FILE = 11_000;

/** Files of `megabytes` in total; one in a hundred is a file of the corpus. */
export function* tree(megabytes: number): Generator<TreeFile> {
  const secrets = corpus();
  let [bytes, count] = [0, 0];
  while (bytes < megabytes * 1e6) {
    const file = count % 100 === 0 ? secrets[(count / 100) % secrets.length]! : null;
    const kind = kindOf(count % 97);
    const content = Buffer.from(file?.text ?? textOf(kind.lines, count));
    yield { path: file?.path ?? `${kind.path}${count}${kind.ending}`, content };
    bytes += content.length;
    count += 1;
  }
}

function kindOf(count: number): (typeof KINDS)[number] {
  let rest = count / 97;
  for (const kind of KINDS) {
    if (rest < kind.share) return kind;
    rest -= kind.share;
  }
  return KINDS[0];
}

function textOf(lines: readonly string[], seed: number): string {
  const size = FILE * (0.3 + ((seed * 7919) % 140) / 100);
  let text = "";
  for (let index = seed; text.length < size; index += 1)
    text += `${lines[(index * 31) % lines.length]} // ${index.toString(36)}\n`;
  return text;
}
