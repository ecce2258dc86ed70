// Tests the forms of places of findings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isReadablePlace, placeName, placeOf, type Place } from "./places.ts";

const PLACES: [text: string, place: Place, name: string, isReadable: boolean][] = [
  ["/etc/app.env", { kind: "file", path: "/etc/app.env" }, "/etc/app.env", true],
  ["/srv/a:b/git:x", { kind: "file", path: "/srv/a:b/git:x" }, "/srv/a:b/git:x", true],
  [
    "s3://backups/db/dump.sql",
    { kind: "object", address: "s3://backups/db/dump.sql", bucket: "backups" },
    "s3://backups/db/dump.sql",
    true,
  ],
  [
    "git:team/app.git:config/a:b.env",
    { kind: "repository", repository: "team/app.git", path: "config/a:b.env" },
    "config/a:b.env in team/app.git",
    true,
  ],
  ["column:shop.public.s.value", { kind: "column", name: "shop.public.s.value" }, "shop.public.s.value", true],
  ["definition:shop.f", { kind: "definition", name: "shop.f" }, "shop.f", true],
  [
    "process:arguments:ada:backup:daily",
    { kind: "process", part: "arguments", user: "ada", name: "backup:daily" },
    "process:arguments:ada:backup:daily",
    false,
  ],
  ["account:ada", { kind: "account", name: "ada" }, "account:ada", false],
  ["process:memory:x", { kind: "file", path: "process:memory:x" }, "process:memory:x", false],
];

for (const [text, place, name, isReadable] of PLACES) {
  test(`${text} is a place of the kind ${place.kind}`, () => {
    assert.deepEqual([placeOf(text), placeName(text), isReadablePlace(text)], [place, name, isReadable]);
  });
}
