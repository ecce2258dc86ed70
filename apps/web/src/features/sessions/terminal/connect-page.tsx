// Connects to an account: starts a session, with the justification that the platform requires, and shows its terminal.
import { TextInput } from "@mantine/core";
import { readAccountDetails, type Account, type ReplyOf } from "@strongroom/contract";
import type { startPrivilegedSession } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { queryOf } from "#shared/api/query.ts";
import { paths } from "#shared/paths.ts";
import { DetailHeader, DetailLoaded } from "#shared/ui/detail-page.tsx";
import { FailureAlert } from "#shared/ui/failure-alert.tsx";
import { Form } from "#shared/ui/form.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { useIsHere } from "#shared/ui/use-is-here.ts";
import { useOnce } from "#shared/ui/use-once.ts";
import { startSession, type Justification } from "../sessions.queries.ts";
import classes from "../sessions.module.css";
import { LiveTerminal } from "./live-terminal.tsx";
import { OwnClient } from "./own-client.tsx";

type Started = ReplyOf<typeof startPrivilegedSession>;

const NOTHING_GIVEN: Justification = { reason: "", ticket: "" };

export default function ConnectPage() {
  const { id = "" } = useParams();
  const account = useQuery(queryOf(readAccountDetails, { params: { id } }));
  return (
    <DetailLoaded
      key={id}
      query={account}
      list={{ to: paths.account(id), title: "Account", backLabel: "Back to the Account" }}
      loadingText="Loading account..."
      isMissing={(error) => isCallError(error) && error.status === 404}
      missing={{ title: "Account Not Found", text: "It was deleted, or you may not see it." }}
      failure={{ title: "Connect", text: account.error === null ? "" : messageOf(account.error) }}
    >
      {(read) => <Connection account={read} />}
    </DetailLoaded>
  );
}

function Connection({ account }: { account: Account }) {
  const [started, setStarted] = useState<{ session: Started; given: Justification } | null>(null);
  return (
    <div className={classes.page}>
      <DetailHeader
        list={{ to: paths.account(account.id), title: account.name, backLabel: "Back to the Account" }}
        title={`Connect to ${account.name}`}
        subtitle={`${account.username} · ${account.hostname_ip}:${account.port}`}
      />
      {started === null ? (
        <>
          <StartForm account={account} onStarted={(session, given) => setStarted({ session, given })} />
          <OwnClient account={account} />
        </>
      ) : (
        <LiveTerminal
          key={started.session.session_id}
          session={started.session}
          account={account}
          justification={started.given}
          onAgain={() => setStarted(null)}
        />
      )}
    </div>
  );
}

/**
 * Starts immediately after a click on Connect. A reload or a link shows the form first, so that neither opens a session
 * automatically.
 */
function StartForm({
  account,
  onStarted,
}: {
  account: Account;
  onStarted: (started: Started, given: Justification) => void;
}) {
  const { state } = useLocation();
  const navigate = useNavigate();
  const isHere = useIsHere();
  const startsAtOnce = (state as { starts?: unknown } | null)?.starts === true;
  const [isStarting, setIsStarting] = useState(startsAtOnce);
  const [failure, setFailure] = useState<string | null>(null);
  const start = async (given: Justification): Promise<void> => {
    const started = await startSession(account.id, given);
    if (isHere()) onStarted(started, given);
  };
  useOnce(() => {
    if (!startsAtOnce) return;
    void navigate(".", { replace: true, state: null });
    void start(NOTHING_GIVEN)
      .catch((error: unknown) => setFailure(messageOf(error)))
      .finally(() => setIsStarting(false));
  });
  if (isStarting) return <SectionLoading text="Starting the session..." />;
  return (
    <Form
      label="Connect"
      initial={NOTHING_GIVEN}
      submitLabel="Connect"
      failureText="Failed to connect"
      maxWidth="32rem"
      onSubmit={(given) => {
        setFailure(null);
        return start(given);
      }}
    >
      {(form) => (
        <>
          {failure !== null && <FailureAlert title="Failed to connect" message={failure} />}
          <p className={classes.sentence}>
            You work on the target without seeing the password. The session is recorded and can be watched.
          </p>
          <ReasonField description="If the platform requires one" {...form.getInputProps("reason")} />
          <TextInput
            label="Ticket"
            description="If the platform requires one"
            maxLength={100}
            {...form.getInputProps("ticket")}
          />
        </>
      )}
    </Form>
  );
}
