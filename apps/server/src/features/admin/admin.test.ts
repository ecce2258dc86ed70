// Tests of system information and job lists in the Admin Console.
import { listJobs, listQueues, readSystem, retryJob } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

const system = async () => (await app.call(readSystem, { as: admin.token })).body;

test("the system page shows versions, the database, free disk space and that the system is healthy", async () => {
  const facts = await system();
  assert.match(facts.version, /^\d+\.\d+\.\d+/);
  assert.match(facts.database.version, /^\d+/);
  assert.ok(facts.database.size_bytes > 1_000_000 && facts.database.connections > 0);
  assert.ok(facts.disk !== null && facts.disk.free_bytes <= facts.disk.total_bytes);
  assert.equal(facts.health.status, "healthy");
  assert.deepEqual(
    facts.processes.map(({ pid, is_this }) => [pid, is_this]),
    [[process.pid, true]],
  );
});

test("each running process is listed, and a stopped one disappears", async () => {
  const database = { database: app.database, connection: app.database.connection, drop: async () => {} };
  const other = await testApp({ database, dataFolder: app.dataFolder });
  assert.deepEqual((await system()).processes.map((each) => String(each.is_this)).sort(), ["false", "true"]);
  await other.stopOnly();
  assert.equal((await system()).processes.length, 1);
});

test("a failed health check has a readable message", async () => {
  await app.database.pool.query(
    "update seal set root_key_id = 'ffffffffffffffffffffffffffffffff', record = record || '{\"rootKeyId\": \"ffffffffffffffffffffffffffffffff\"}'",
  );
  const { health } = await system();
  assert.equal(health.status, "degraded");
  assert.match(health.checks.find(({ state }) => state === "failing")?.message ?? "", /root key changed/);
  const { rootKeyId } = app.kernel.keys;
  await app.database.pool.query(
    "update seal set root_key_id = $1, record = record || jsonb_build_object('rootKeyId', $1::text)",
    [rootKeyId],
  );
});

test("pending audit entries are counted", async () => {
  const facts = await eventually(async () => {
    const { audit } = await system();
    return audit.waiting === 0 ? audit : null;
  });
  assert.equal(facts.oldest_at, null);
});

describe("jobs", () => {
  const jobs = (query: NonNullable<Parameters<typeof app.call<typeof listJobs>>[1]>["query"] = {}) =>
    app.call(listJobs, { query, as: admin.token });

  /** Inserts a failed job into the queue's table, because this server's jobs do not fail on their own. */
  async function givenUp(queue: string): Promise<string> {
    const { rows } = await app.database.pool.query(
      `insert into jobs.job (name, data, state, retry_count, started_on, completed_on, output, policy)
       values ($1, '{"user_id": "0190c0de-0000-7000-8000-00000000beef"}', 'failed', 2, now(), now(),
               '{"message": "The mail server said no\\nwith a second line", "stack": "at somewhere"}', 'standard')
       returning id`,
      [queue],
    );
    return rows[0].id;
  }

  test("are listed by queue, with one-line errors and without their payload", async () => {
    const id = await givenUp("sign-in.invitation");
    const queues = (await app.call(listQueues, { as: admin.token })).body.data;
    assert.deepEqual(queues.find(({ name }) => name === "sign-in.invitation")?.failed, 1);
    assert.equal(queues.find(({ name }) => name === "sign-in.sweep")?.schedule, "* * * * *");
    const reply = await jobs({ queue: "sign-in.invitation", state: "failed" });
    const [job] = reply.body.data;
    assert.deepEqual([job?.id, job?.error, job?.attempts], [id, "The mail server said no", 3]);
    assert.doesNotMatch(reply.text, /00000000beef|somewhere/);
  });

  test("can be retried once after they fail, and each attempt to retry is audited", async () => {
    const id = await givenUp("sign-in.invitation");
    const [job] = (await jobs({ state: "failed" })).body.data;
    assert.equal(job?.may_retry, true);
    const again = () => app.call(retryJob, { params: { id: job.id }, as: admin.token });
    const reply = await again();
    assert.equal(reply.status, 200, reply.text);
    assert.notEqual(reply.body.state, "failed");
    assert.equal((await again()).status, 409);
    await eventually(async () =>
      (await jobs({ state: "completed" })).body.data.some((each) => each.id === id) ? 1 : null,
    );
    const { rows } = await app.database.pool.query(
      "select result from audit_entries where event = 'job.retried' and target_id = $1 order by id",
      [id],
    );
    assert.deepEqual(rows, [{ result: "success" }, { result: "failure" }]);
  });

  test("cannot be retried here if users track them, because users start such jobs again themselves", async () => {
    const id = await givenUp("verification.run");
    const job = (await jobs({ queue: "verification.run" })).body.data.find((each) => each.id === id);
    assert.equal(job?.may_retry ?? false, app.kernel.jobs.known().get("verification.run")?.isTracked === false);
  });

  test("are paginated, newest first", async () => {
    for (let each = 0; each < 5; each++) await givenUp("tokens.sweep");
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await jobs({
        limit: 2,
        queue: "tokens.sweep",
        state: "failed",
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.equal(new Set(seen).size, 5);
    assert.equal(seen.length, 5);
  });
});

test("only administrators can read the system page and the jobs", async () => {
  const manager = await aPerson(app, "manager");
  for (const endpoint of [readSystem, listQueues, listJobs]) {
    assert.equal((await app.call(endpoint, { as: manager.token })).status, 403);
  }
});
