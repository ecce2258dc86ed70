// A final check of a restored database that could not be authenticated: removes stored settings and refuses third-party
// code.
import pg from "pg";
import { StartError } from "#kernel/start-error.ts";
import { APPLICATION, SUPERUSER } from "./cluster.ts";

/** Objects of a fresh cluster have lower ids than this. */
const FIRST_OWN_ID = 16_384;

/**
 * Removes settings stored for roles and databases, event triggers and subscriptions. Throws `StartError` when the database holds
 * functions that could reach outside it: in an untrusted language, or owned by a superuser. This is only a second line of
 * defence: a carefully changed database file can do more than SQL can show, which is why backups are authenticated.
 */
export async function requireHarmless(administration: pg.ClientConfig): Promise<void> {
  await withClient(administration, async (client) => {
    await client.query("delete from pg_db_role_setting");
    const { rows } = await client.query<{ rolname: string }>(
      `select rolname from pg_roles
       where (rolsuper or rolreplication or rolbypassrls) and rolname <> $1
          or rolname = $2 and exists (select from pg_auth_members where member = pg_roles.oid)`,
      [SUPERUSER, APPLICATION],
    );
    if (rows[0] !== undefined) throw refusal(`the role ${rows[0].rolname} has rights over the server`);
  });
  for (const database of ["postgres", APPLICATION]) {
    await withClient({ ...administration, database }, async (client) => {
      await client.query("update pg_event_trigger set evtenabled = 'D'");
      await client.query("update pg_subscription set subenabled = false");
      const { rows } = await client.query<{ name: string }>(
        `select p.oid::regproc::text as name from pg_proc p
         join pg_language l on l.oid = p.prolang join pg_roles r on r.oid = p.proowner
         where p.oid >= $1 and (not l.lanpltrusted or r.rolsuper) limit 1`,
        [FIRST_OWN_ID],
      );
      if (rows[0] !== undefined) throw refusal(`the function ${rows[0].name} can reach outside the database`);
    });
  }
}

const refusal = (why: string): StartError =>
  new StartError(`The backup was refused because ${why}. A genuine Strongroom database has none.`);

async function withClient(config: pg.ClientConfig, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...config, application_name: "strongroom restore" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
