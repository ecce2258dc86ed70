// Tests of Git repositories over SSH on a real OpenSSH server with the git program.
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { aContext, aFileSearch, aTarget } from "../../testing/factories.ts";
import { withoutLeak } from "../../testing/leak-watch.ts";
import { connectorSuite, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { gitAvailable } from "../../testing/targets/git-server.ts";
import { startSshd, unixUsersAvailable, type Sshd } from "../../testing/targets/sshd.ts";
import type { UnixUser } from "../../testing/targets/unix-user.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { HostKey } from "../connector.ts";
import { gitSsh } from "./git-ssh.ts";

const AVAILABLE = needs(gitAvailable(), unixUsersAvailable());
const EVERYTHING = aFileSearch({ roots: ["git:"] });

/** A user with the repository `team/app.git`, whose file has two versions. */
async function aGitUser(sshd: Sshd): Promise<UnixUser> {
  const user = await sshd.addUser("active", { hasHome: true });
  const env = { ...process.env, HOME: user.home };
  const run = (...args: string[]) =>
    execFileSync("runuser", ["-u", user.username, "--", ...args], { cwd: user.home, env });
  run("git", "init", "--quiet", "--bare", "--initial-branch=main", "team/app.git");
  run("git", "init", "--quiet", "--initial-branch=main", "work");
  run("git", "-C", "work", "config", "user.name", "Jane Doe");
  run("git", "-C", "work", "config", "user.email", "jane@example.com");
  for (const text of ["A=1", "A=2"]) {
    run("sh", "-c", `echo ${text} > work/a.env`);
    run("git", "-C", "work", "add", "a.env");
    run("git", "-C", "work", "commit", "--quiet", "--message", text);
  }
  run("git", "-C", "work", "push", "--quiet", "--mirror", "../team/app.git");
  return user;
}

const at = ({ host, port }: Pick<Sshd, "host" | "port">, username: string, repositories = "team/app.git") => ({
  type: "application",
  host,
  port,
  username,
  additionalParams: { protocol: "git-ssh", repositories },
});

async function rows(): Promise<Rows> {
  const sshd = await startSshd();
  const [user, locked, expired] = [await aGitUser(sshd), await sshd.addUser("locked"), await sshd.addUser("expired")];
  const target = at(sshd, user.username);
  return {
    good: { target, secret: user.password, expect: VERIFIED },
    wrong: { target, secret: "not-the-password", expect: WRONG_PASSWORD },
    locked: {
      target: at(sshd, locked.username),
      secret: locked.password,
      expect: WRONG_PASSWORD,
      note: "PAM answers the same for a locked account and a wrong password",
    },
    expired: {
      target: at(sshd, expired.username),
      secret: expired.password,
      expect: { outcome: "rejected", code: "account-expired" },
    },
    // SSH has its own encryption.
    encryption: [],
    elsewhere: (host, port) => at({ host, port }, user.username),
    stop: () => sshd.stop(),
  };
}

connectorSuite({ connector: gitSsh, needs: AVAILABLE, start: rows });

describe("Git: reading repositories over SSH", AVAILABLE, () => {
  let sshd: Sshd;
  let user: UnixUser;
  before(async () => {
    sshd = await startSshd();
    user = await aGitUser(sshd);
  });
  after(() => sshd?.stop());

  const targetAt = (repositories: string, knownHostKey: HostKey | null) =>
    aTarget({ ...at(sshd, user.username, repositories), knownHostKey });
  async function reading(
    repositories: string,
    secret: string,
    knownHostKey = null as Awaited<ReturnType<Sshd["hostKey"]>> | null,
  ) {
    const texts: string[] = [];
    const result = await withoutLeak([secret], () =>
      gitSsh.readFiles!(
        targetAt(repositories, knownHostKey),
        Secret.fromText(secret),
        EVERYTHING,
        {
          choose: async (files) => files,
          read: async ({ path, content }) => void texts.push(`${path} ${content.toString().trim()}`),
        },
        aContext(),
      ),
    );
    return { result, texts };
  }

  test("reads every version with a password or a deploy key, by relative and absolute paths", async () => {
    const { privateKey } = await sshd.authorizeKey({ user });
    for (const secret of [user.password, privateKey]) {
      const { result, texts } = await reading("team/app.git", secret);
      assert.ok(result.outcome === "read", result.message);
      assert.deepEqual(texts, ["git:team/app.git:a.env A=2", "git:team/app.git:a.env A=1"]);
      assert.deepEqual(result.facts, { hostKey: await sshd.hostKey() });
    }
    const { texts } = await reading(join(user.home, "team/app.git"), user.password);
    assert.equal(texts.length, 2);
  });

  test("verifies a login by the branches of each repository, and names a missing one", async () => {
    const verify = async (repositories: string, secret: string) => {
      const result = await gitSsh.verify(targetAt(repositories, null), Secret.fromText(secret), aContext());
      return [result.outcome, "code" in result ? result.code : null];
    };
    assert.deepEqual(await verify("team/app.git", user.password), ["verified", null]);
    assert.deepEqual(await verify("team/none.git", user.password), ["misconfigured", "unexpected-status"]);
    assert.deepEqual(await verify("team/app.git", "a wrong password"), ["rejected", "wrong-password"]);
    const { result } = await reading("team/app.git, team/none.git", user.password);
    assert.ok(result.outcome === "read");
    assert.deepEqual(result.unread, ["git:team/none.git"]);
  });

  test("sends nothing to a host with another key", async () => {
    const other = { type: "ssh-ed25519", fingerprint: "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
    const { result } = await reading("team/app.git", user.password, other);
    assert.deepEqual("code" in result && result.code, "host-key-changed");
  });
});
