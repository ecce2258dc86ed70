// Tests attacks on a backup by a person who can write to it: none of its contents is executed, neither during a restore nor
// before.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { openLog } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { backUp } from "./backup.ts";
import { readManifest } from "./backup-manifest.ts";
import { startEmbedded } from "./embedded.ts";
import { restore, verifyBackup } from "./restore.ts";
import type { RestoreOptions } from "./restore.ts";
import { temporaryFolder } from "./testing/child.ts";
import { aRootKey } from "./testing/root-key.ts";

const CLUSTER = "postgres/cluster";
const log = openLog("silent");
const temporary = temporaryFolder();
const inside = (name: string): string => join(temporary.path, name);
const { seal, findMac } = aRootKey();
/** A file that is created when one of the attacker's commands runs, in a folder that every user may write to. */
const marker = inside("public/marker");
const command = `touch ${marker}`;

before(async () => {
  mkdirSync(inside("public"));
  execFileSync("chmod", ["1777", inside("public")]);
  const embedded = await startEmbedded({ dataFolder: inside("data"), log });
  const client = new pg.Client(embedded.administration);
  await client.connect();
  for (const name of ["made", "other"]) {
    await client.query(`create table of_${name} as select generate_series(1, 1000) as n`);
    await backUp({
      administration: embedded.administration,
      dataFolder: inside("data"),
      target: inside(name),
      beside: ["audit"],
      seal: async () => seal,
      findMac,
    });
  }
  await client.end();
  await embedded.stop();
});
after(temporary.remove);

let copies = 0;
function aCopy(): string {
  const folder = inside(`copy-${(copies += 1)}`);
  cpSync(inside("made"), folder, { recursive: true });
  return folder;
}

function restoreFrom(backup: string, more: Partial<RestoreOptions> = {}): { target: string; work: Promise<unknown> } {
  const target = `${backup}-restored`;
  const work = restore({ backup, dataFolder: target, kept: () => false, prove: async () => {}, findMac, log, ...more });
  return { target, work };
}

interface Written {
  [member: string]: unknown;
  files: { path: string; size: number; sha256: string }[];
  folders: string[];
}

/** Rewrites the manifest for the folder's current contents, as an attacker could: everything except the MAC can be recomputed. */
function rewriteManifest(folder: string, change: (manifest: Written) => object = (manifest) => manifest): void {
  const path = join(folder, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Written;
  const known = new Set(manifest.files.map((file) => file.path));
  const paths = execFileSync("find", [".", "-type", "f", "-printf", "%P\n"], { cwd: folder, encoding: "utf8" });
  for (const each of paths.split("\n")) {
    if (each !== "" && each !== "manifest.json" && !known.has(each))
      manifest.files.push({ path: each, size: 0, sha256: "" });
  }
  manifest.files = manifest.files.filter((file) => existsSync(join(folder, file.path)));
  for (const file of manifest.files) {
    file.size = statSync(join(folder, file.path)).size;
    file.sha256 = createHash("sha256")
      .update(readFileSync(join(folder, file.path)))
      .digest("hex");
  }
  writeFileSync(path, JSON.stringify(change(manifest)));
}

/** Passes the backup off as one of an earlier version, whose manifest had a plain checksum. */
function asEarlierVersion(manifest: Written): object {
  const { format: _format, name: _name, mac: _mac, seal: _seal, system_identifier: _id, ...rest } = manifest;
  const earlier = { format: "strongroom-backup/1", ...rest };
  return { ...earlier, checksum: createHash("sha256").update(JSON.stringify(earlier)).digest("hex") };
}

const append = (folder: string, file: string, text: string): void => appendFileSync(join(folder, CLUSTER, file), text);

/** The attacker's changes to the files. */
const ATTACKS: Record<string, (folder: string) => void> = {
  "an archive command": (folder) =>
    append(
      folder,
      "postgresql.auto.conf",
      `archive_mode = on\narchive_timeout = 1\narchive_command = '${command}; false'\n`,
    ),
  "a restore command and a recovery signal": (folder) => {
    append(folder, "postgresql.conf", `restore_command = '${command}; false'\n`);
    append(folder, "recovery.signal", "");
  },
  "a standby signal": (folder) => {
    append(folder, "postgresql.auto.conf", `restore_command = '${command}; false'\n`);
    append(folder, "standby.signal", "");
  },
  "recovery commands": (folder) =>
    append(
      folder,
      "postgresql.conf",
      `archive_cleanup_command = '${command}'\nrecovery_end_command = '${command}'\nrestore_command = '${command}'\n`,
    ),
  "a preloaded library": (folder) =>
    append(folder, "postgresql.auto.conf", "shared_preload_libraries = '/nowhere/evil'\n"),
  "a library for each session": (folder) =>
    append(
      folder,
      "postgresql.conf",
      "session_preload_libraries = '/nowhere/evil'\nlocal_preload_libraries = '/nowhere/evil'\narchive_library = 'evil'\n",
    ),
  "a library that compiles queries or checks tokens": (folder) =>
    append(
      folder,
      "postgresql.auto.conf",
      "jit_provider = '/nowhere/evil'\njit = on\noauth_validator_libraries = '/nowhere/evil'\n",
    ),
  "files of the server elsewhere": (folder) =>
    append(
      folder,
      "postgresql.conf",
      `external_pid_file = '${marker}'\nlogging_collector = on\nlog_directory = '${inside("public")}'\n`,
    ),
  "a passphrase command": (folder) =>
    append(folder, "postgresql.conf", `ssl = on\nssl_passphrase_command = '${command}'\n`),
  "a data directory elsewhere": (folder) =>
    append(folder, "postgresql.auto.conf", `data_directory = '${inside("public")}'\n`),
  "an included file": (folder) => {
    append(folder, "evil.conf", `restore_command = '${command}'\nshared_preload_libraries = '/nowhere/evil'\n`);
    append(folder, "postgresql.conf", "include 'evil.conf'\n");
  },
};

describe("restoring a backup that was changed", () => {
  for (const [name, attack] of Object.entries(ATTACKS)) {
    test(`${name}: refused before anything starts, with or without recomputed checksums`, async () => {
      for (const disguise of [null, (manifest: Written) => manifest, asEarlierVersion]) {
        const folder = aCopy();
        attack(folder);
        if (disguise !== null) rewriteManifest(folder, disguise);
        const { target, work } = restoreFrom(folder);
        await assert.rejects(work, StartError);
        await assert.rejects(verifyBackup(folder, findMac), StartError);
        assert.ok(!existsSync(join(target, "postgres/log/server.log")), "no server was started");
      }
      assert.ok(!existsSync(marker), "no command ran");
    });
  }

  for (const [name, attack] of Object.entries(ATTACKS)) {
    test(`${name}: not executed when the operator accepts a backup without a MAC`, async () => {
      const folder = aCopy();
      attack(folder);
      rewriteManifest(folder, asEarlierVersion);
      const settings: Record<string, string> = {};
      const { work } = restoreFrom(folder, {
        acceptUnauthenticated: true,
        async prove({ administration }) {
          const client = new pg.Client(administration);
          await client.connect();
          await client.query("checkpoint");
          await client.query("select pg_switch_wal()");
          const { rows } = await client.query<{ name: string; setting: string }>(
            `select name, setting from pg_settings
             where name ~ '(preload|archive|validator)_librar|_command$|^(archive_mode|data_directory|dynamic_library_path|ssl|jit_provider)$'
               or name in ('external_pid_file', 'logging_collector')`,
          );
          for (const row of rows) settings[row.name] = row.setting;
          await client.end();
        },
      });
      const outcome = await work.then(
        () => "restored",
        (error: unknown) => (error instanceof StartError ? "refused" : Promise.reject(error)),
      );
      assert.equal(outcome, /signal/.test(name) ? "refused" : "restored");
      assert.ok(!existsSync(marker), "no command ran");
      if (outcome === "refused") return;
      const { data_directory: directory, dynamic_library_path: path, archive_mode: mode, ssl, ...more } = settings;
      const { jit_provider: jit, logging_collector: collector, external_pid_file: pidFile, ...others } = more;
      assert.match(directory ?? "", /-restored\/postgres\/cluster$/);
      assert.match(pidFile ?? "", /-restored\/postgres\/server\.pid$/);
      assert.deepEqual([path, mode, ssl, jit, collector], ["$libdir", "off", "off", "llvmjit", "off"]);
      // PostgreSQL shows this text if archiving is off, whatever the command.
      assert.equal(others["archive_command"], "(disabled)");
      delete others["archive_command"];
      assert.deepEqual([...new Set(Object.values(others))], [""], JSON.stringify(others));
    });
  }

  test("a file, a folder, a link or a special file that is not in the manifest is refused", async () => {
    const additions: ((folder: string) => void)[] = [
      (folder) => append(folder, "base/evil.so", "x"),
      (folder) => mkdirSync(join(folder, CLUSTER, "pg_tblspc/16500")),
      (folder) => symlinkSync("/etc", join(folder, CLUSTER, "pg_tblspc/16500")),
      (folder) => execFileSync("mkfifo", [join(folder, CLUSTER, "pipe")]),
      (folder) => {
        renameSync(join(folder, CLUSTER, "base"), join(folder, "../base-of-the-attacker"));
        symlinkSync(join(folder, "../base-of-the-attacker"), join(folder, CLUSTER, "base"));
      },
      (folder) => {
        rmSync(join(folder, CLUSTER, "PG_VERSION"));
        execFileSync("mkfifo", [join(folder, CLUSTER, "PG_VERSION")]);
      },
      (folder) => {
        renameSync(join(folder, "manifest.json"), join(folder, "../manifest-elsewhere"));
        symlinkSync(join(folder, "../manifest-elsewhere"), join(folder, "manifest.json"));
      },
    ];
    for (const add of additions) {
      const folder = aCopy();
      add(folder);
      await assert.rejects(restoreFrom(folder).work, StartError);
      rmSync(inside("base-of-the-attacker"), { recursive: true, force: true });
    }
  });

  test("a tablespace, or a file beside the cluster, is refused even if the manifest lists it", async () => {
    for (const path of ["postgres/cluster/pg_tblspc/16500/x", "root.key", "backups/x", "postgres/run/x"]) {
      const folder = aCopy();
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), "x");
      rewriteManifest(folder, asEarlierVersion);
      const { target, work } = restoreFrom(folder, { acceptUnauthenticated: true });
      await assert.rejects(work, /which does not belong in a Strongroom backup/, path);
      assert.ok(!existsSync(join(target, path)));
    }
  });

  test("a changed page, a changed log and the manifest of a different backup are refused", async () => {
    const { files } = (await readManifest(inside("made"))).manifest;
    const page = files.find(({ path, size }) => path.includes("/base/") && size > 0)!.path;
    const wal = files.find(({ path }) => path.includes("/pg_wal/"))!.path;
    for (const path of [page, wal]) {
      const folder = aCopy();
      const bytes = readFileSync(join(folder, path));
      bytes[100]! ^= 1;
      writeFileSync(join(folder, path), bytes);
      await assert.rejects(restoreFrom(folder).work, /is damaged/);
      rewriteManifest(folder);
      await assert.rejects(restoreFrom(folder).work, /was changed after it was made/);
    }
    const swapped = aCopy();
    cpSync(inside("other/manifest.json"), join(swapped, "manifest.json"));
    const { target, work } = restoreFrom(swapped);
    await assert.rejects(work, StartError);
    assert.ok(!existsSync(join(target, "postgres/log/server.log")));
  });

  test("a different root key, a shortened MAC and an empty MAC are refused", async () => {
    const stranger = aRootKey();
    await assert.rejects(restoreFrom(aCopy(), { findMac: stranger.findMac }).work, /was changed after it was made/);
    for (const mac of ["", "00", "00".repeat(32), "zz"]) {
      const folder = aCopy();
      rewriteManifest(folder, (manifest) => ({ ...manifest, mac }));
      await assert.rejects(restoreFrom(folder).work, /was changed after it was made/);
    }
  });
});

describe("a database that was changed and accepted without a MAC", () => {
  /** Makes a genuine backup of a cluster that its superuser changed, passed off as a backup of an earlier version. */
  async function backupAfter(statements: readonly string[]): Promise<string> {
    const dataFolder = inside(`changed-${(copies += 1)}`);
    const embedded = await startEmbedded({ dataFolder, log });
    const client = new pg.Client({ ...embedded.administration, database: "strongroom" });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
    const target = `${dataFolder}-backup`;
    const { administration } = embedded;
    await backUp({ administration, dataFolder, target, beside: [], seal: async () => seal, findMac });
    await embedded.stop();
    rewriteManifest(target, asEarlierVersion);
    return target;
  }

  test("settings stored for roles and databases, and event triggers, have no effect", async () => {
    const backup = await backupAfter([
      "alter role postgres set session_preload_libraries = '/nowhere/evil'",
      "alter database strongroom set session_preload_libraries = '/nowhere/evil'",
      "create function strongroom_login() returns event_trigger language plpgsql as 'begin raise exception ''ran''; end'",
      "alter function strongroom_login() owner to strongroom",
      "create event trigger at_login on login execute function strongroom_login()",
    ]);
    await restoreFrom(backup, {
      acceptUnauthenticated: true,
      async prove({ connection }) {
        const client = new pg.Client(connection);
        await client.connect();
        await client.end();
      },
    }).work;
  });

  test("functions that reach outside the database, and roles with privileges on the server, are refused", async () => {
    const changes = [
      "create function evil() returns int language sql security definer as 'select 1'",
      "alter role strongroom superuser",
      "grant pg_execute_server_program to strongroom",
    ];
    for (const change of changes) {
      const backup = await backupAfter([change]);
      const { target, work } = restoreFrom(backup, { acceptUnauthenticated: true });
      await assert.rejects(work, /A genuine Strongroom database has none/, change);
      assert.ok(!existsSync(join(target, CLUSTER)), "the restore is undone");
    }
  });
});
