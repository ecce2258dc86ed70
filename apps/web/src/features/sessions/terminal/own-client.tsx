// Explains how to connect to an account with a native SSH client instead of the browser.
import { readSshAccess, type Account } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { queryOf } from "#shared/api/query.ts";
import { paths } from "#shared/paths.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import classes from "../sessions.module.css";

/** Names that need no quotes in a shell and no escape in a login name; other accounts are addressed by their id. */
const PLAIN_NAME = /^[\w.-]+$/;

/** Shows nothing while the gateway's address is unknown: the terminal in the browser works without it. */
export function OwnClient({ account }: { account: Pick<Account, "id" | "name"> }) {
  const { data } = useQuery(queryOf(readSshAccess));
  const [gateway] = data?.gateways ?? [];
  if (gateway === undefined) return null;
  const name = PLAIN_NAME.test(account.name) ? account.name : account.id;
  return (
    <section className={classes.ownClient} aria-label="With your own SSH client">
      <p className={classes.sentence}>
        Or connect with your own SSH client. Sign in with an <Link to={paths.profile}>SSH key</Link>, your password or
        an API token.
      </p>
      <CodeBlock code={`ssh -p ${gateway.port} ${name}@${gateway.host}`} label="SSH command" isWrapped />
      <p className={classes.sentence}>Fingerprint of the gateway's host key:</p>
      <CodeBlock code={data?.fingerprint ?? ""} label="host key fingerprint" isWrapped />
    </section>
  );
}
