// The checklist of the first hour, for administrators: each step says why it matters and leads to its page.
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconCircle, IconCircleCheckFilled, IconX } from "@tabler/icons-react";
import { dismissSetupStep, type SetupStep } from "@strongroom/contract";
import { mutationOptions, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { call } from "#shared/api/call.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { paths } from "#shared/paths.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { setupSteps } from "./dashboard.queries.ts";
import classes from "./setup-card.module.css";

interface StepText {
  title: string;
  text: string;
  action: string;
  to: string;
}

const STEPS: Record<SetupStep["id"], StepText> = {
  "second-factor": {
    title: "Add a second factor to your account",
    text: "An administrator's password alone opens everything. Use a passkey or an authenticator app.",
    action: "Open Profile",
    to: paths.profile,
  },
  "sign-up": {
    title: "Close sign-up",
    text: "At the moment anyone who reaches this server can create an account.",
    action: "Open Policy",
    to: paths.adminAt("policy"),
  },
  backups: {
    title: "Back up to another disk",
    text: "Set STRONGROOM_BACKUPS to a folder outside the data folder, then make the first backup.",
    action: "Open Backups",
    to: paths.adminAt("backups"),
  },
  "root-key": {
    title: "Keep the root key apart",
    text: "The root key is stored next to the database. Set STRONGROOM_KEY_FILE to another disk, or use a passphrase.",
    action: "Open Keys",
    to: paths.adminAt("keys"),
  },
  people: {
    title: "Invite a colleague",
    text: "Add a second administrator, so that one lost device does not lock everyone out.",
    action: "Open Users",
    to: paths.adminAt("users"),
  },
  safe: {
    title: "Create a safe",
    text: "A safe holds accounts that a team shares. Your vault is only for your own passwords.",
    action: "Open Safes",
    to: paths.safes,
  },
  account: {
    title: "Add an account of a real system",
    text: "A server, a database or a device whose password Strongroom verifies and rotates.",
    action: "Open Accounts",
    to: paths.accounts,
  },
  verification: {
    title: "See a first verification succeed",
    text: "Strongroom logs in with the stored password. If it fails, the account says why.",
    action: "Open Verifications",
    to: paths.validationAt("accounts", "attempts"),
  },
  provider: {
    title: "Connect a sign-in provider",
    text: "Let people sign in with your directory or identity provider (OpenID Connect or LDAP).",
    action: "Open Providers",
    to: paths.adminAt("providers"),
  },
};

const dismissal = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (step: SetupStep["id"] | "all") => call(dismissSetupStep, { body: { step } }),
    onSuccess: (checklist) => client.setQueryData(setupSteps.queryKey, checklist),
  });

/** Shown until every step is done or dismissed. */
export function SetupCard() {
  const { data } = useQuery(setupSteps);
  const { mutate: dismiss, isPending } = useMutation(dismissal(useQueryClient()));
  const steps = data?.steps.filter(({ is_dismissed: isDismissed }) => !isDismissed) ?? [];
  const done = steps.filter(({ is_done: isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <SectionCard
      title="Set Up Strongroom"
      description={`${done.toLocaleString()} of ${steps.length.toLocaleString()} steps done`}
      actions={
        <Button variant="subtle" size="compact-sm" color="gray" loading={isPending} onClick={() => dismiss("all")}>
          Dismiss All
        </Button>
      }
    >
      <div className={classes.progress} aria-hidden>
        <span style={{ width: `${(done / steps.length) * 100}%` }} />
      </div>
      <ol className={classes.steps} aria-label="Steps of the setup">
        {steps.map((step) => (
          <Step key={step.id} step={step} onDismiss={() => dismiss(step.id)} />
        ))}
      </ol>
    </SectionCard>
  );
}

function Step({ step, onDismiss }: { step: SetupStep; onDismiss: () => void }) {
  const { title, text, action, to } = STEPS[step.id];
  return (
    <li className={classes.step} data-done={step.is_done}>
      {step.is_done ? (
        <IconCircleCheckFilled size={20} role="img" aria-label="Done" />
      ) : (
        <IconCircle size={20} role="img" aria-label="Open" />
      )}
      <div>
        <p className={classes.title}>{title}</p>
        {!step.is_done && <p className={classes.why}>{text}</p>}
      </div>
      {!step.is_done && (
        <>
          <Button
            component={Link}
            to={to}
            size="compact-sm"
            variant="default"
            className={classes.action}
            aria-label={`${action}: ${title}`}
          >
            {action}
          </Button>
          <Tooltip label="Dismiss this step">
            <ActionIcon variant="subtle" color="gray" aria-label={`Dismiss: ${title}`} onClick={onDismiss}>
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </>
      )}
    </li>
  );
}
