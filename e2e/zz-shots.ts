import { createAccount, createSafe, listPlatforms, listAccounts } from "@strongroom/contract";
import { mkdirSync } from "node:fs";
import { launchBrowser, visitor } from "/tmp/wt/rec/e2e/testing/browser.ts";
import { runSql } from "/tmp/wt/rec/e2e/testing/database.ts";
import { ask, firstAdmin, tokenOf, userIdOf } from "/tmp/wt/rec/e2e/testing/people.ts";
import { signIn } from "/tmp/wt/rec/e2e/testing/screens.ts";
import { startServer } from "/tmp/wt/rec/e2e/testing/server.ts";
const OUT = "/tmp/rec-shots"; mkdirSync(OUT, { recursive: true });
const browser = await launchBrowser();
const server = await startServer({});
try {
  const admin = await firstAdmin(server);
  const token = await tokenOf(server, admin);
  const { platforms } = await ask(server.url, listPlatforms, {}, token);
  const platform = platforms.find(({ name }) => name === "Linux")!;
  const safe = await ask(server.url, createSafe, { body: { name: "Web servers" } }, token);
  const account = await ask(server.url, createAccount, { body: { name: "web-01 deploy", system_type: "Linux", hostname: "web-01.example.net", port: 22, username: "deploy", password: "Not-Real-1234567", platform_id: platform.id, safe_id: safe.id, connection_method: "SSH" } as never }, token);
  const { page } = await visitor(browser, server.url);
  await signIn(page, admin, "/sessions");
  const shot = async (name: string) => {
    for (const width of [1440, 360]) for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(400);
      await page.screenshot({ path: `${OUT}/${name}-${width}-${colorScheme}.png`, fullPage: false });
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
  };
  await page.getByText("No sessions yet").waitFor();
  await shot("sessions-0");
  const me = userIdOf(token);
  const insert = (from: number, to: number) => runSql(server, `
    insert into sessions (id, user_id, user_name, account_id, account_name, safe_id, safe_name, platform_id, platform_name, gateway_id, protocol, client, remote_user, target, source_address, is_exclusive, status, requested_at, started_at, ends_at, ended_at, end_reason, end_detail, is_recorded, last_activity_at, risk_level, risk_reasons)
    select gen_random_uuid(), $1, (array['Ada Byron','Ben Okafor','Mona Lindqvist'])[1 + n % 3], $2, (array['web-01 deploy','db-prod-02 postgres','a-rather-long-account-name-for-a-jump-host root'])[1 + n % 3], $3, 'Web servers', $4, 'Linux', gen_random_uuid(), 'ssh', 'browser', 'deploy', 'web-01.example.net:22', '192.0.2.7', false,
      case when n < 2 then 'active' else 'completed' end, now() - n * interval '17 minutes', now() - n * interval '17 minutes', now() + interval '4 hours',
      case when n < 2 then null else now() - n * interval '17 minutes' + interval '9 minutes' end, case when n < 2 then null when n % 4 = 0 then 'terminated' else 'logout' end, case when n >= 2 and n % 4 = 0 then 'Terminated by Mona Lindqvist: wrong host' end, true, now() - interval '1 minute',
      (array['low','medium','high'])[1 + n % 3], case n % 3 when 0 then '{}'::text[] when 1 then array['First session of this user on this account'] else array['Emergency access', 'First session of this user on this account'] end
    from generate_series($5::int, $6::int) n`, [me, account.id, safe.id, platform.id, from, to]);
  await insert(0, 2);
  const recordings = () => runSql(server, `insert into recordings (id, session_id, storage, path, status, started_at, closed_at, duration_ms, bytes, last_chunk, last_digest)
    select gen_random_uuid(), id, 'folder', id || '.srr', case when status = 'active' then 'open' else 'closed' end, started_at, ended_at, 540000, 90000, case when status = 'active' then null else 3 end, case when status = 'active' then null else decode(repeat('ab', 32), 'hex') end from sessions where id not in (select session_id from recordings)`);
  await recordings();
  await runSql(server, `update platforms set session_recording_days = 90`);
  await page.reload();
  await page.getByRole("list", { name: "Sessions" }).waitFor();
  await shot("sessions-3");
  await insert(3, 199);
  await recordings();
  await runSql(server, `update recordings set held_at = now(), held_by = 'Mona Lindqvist', held_why = 'Case 7: investigation of the outage' where session_id in (select id from sessions where status = 'completed' order by started_at desc limit 2)`);
  await page.reload();
  await page.getByRole("list", { name: "Sessions" }).waitFor();
  await shot("sessions-200");
  await page.route(/\/recording$/, (route) => route.fulfill({ contentType: "application/x-asciicast", body: [
    '{"version":3,"term":{"cols":100,"rows":28}}', '[0,"m","login: deploy on web-01.example.net:22"]', '[0.5,"o","Last login: Mon Nov 23 10:00:00 2026\\r\\n\\u001b[32mdeploy@web-01\\u001b[0m:~$ "]', '[1,"i","l"]', '[0,"o","l"]', '[0.1,"i","s\\r"]', '[0,"o","s\\r\\napp  config  logs\\r\\ndeploy@web-01:~$ "]','[0,"m","command: ls"]', '[3,"o","sudo systemctl restart app\\r\\nFailed to restart app.service: Access denied\\r\\ndeploy@web-01:~$ "]', '[0,"m","privilege: sudo systemctl restart app"]', '[0.2,"m","error: Failed to restart app.service: Access denied"]', '[20,"o","scp backup.tgz web-02:\\r\\n"]', '[0,"m","transfer: scp backup.tgz web-02:"]', '[2,"o","exit\\r\\n"]', ""].join("\n") }));
  await page.getByRole("button", { name: /^Release Hold|^Playback/ }).first().waitFor();
  await page.getByRole("listitem").filter({ hasText: /· Legal hold/ }).getByRole("button", { name: /^Playback/ }).first().click();
  await page.getByRole("list", { name: "Marks" }).waitFor();
  await page.waitForTimeout(1500);
  await shot("playback");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Legal Hold/ }).first().click();
  await shot("hold-dialog");
  await page.keyboard.press("Escape");
  await page.goto(`/accounts/${account.id}/connect`);
  await page.getByRole("textbox", { name: "Reason" }).waitFor();
  await shot("connect");
  await page.goto(`/admin/platforms`);
  await page.waitForTimeout(2500);
  console.log(await page.getByRole("button").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label") ?? each.textContent)));
  await shot("platforms");
  const row = page.getByRole("article", { name: "Linux" }).getByRole("button", { name: /Edit/ }).first();
  await row.click({ timeout: 5000 }).catch(() => console.log("no edit"));
  await page.getByText("Record input").scrollIntoViewIfNeeded({ timeout: 5000 }).catch(() => console.log("no form"));
  await shot("platform");
} finally {
  await browser.close();
  await server.close();
}
