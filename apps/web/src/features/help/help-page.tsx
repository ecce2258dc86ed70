// Help: keyboard shortcuts, how proofs work and links to more documentation.
import { readApiPage, readOpenApi } from "@strongroom/contract";
import { Anchor, Kbd, List, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { download } from "#shared/api/call.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { saveFile } from "#shared/ui/save-file.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./help-page.module.css";

const SHORTCUTS: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ["Ctrl K", "⌘ K", "/"], does: "Search everything you can see" },
  { keys: ["↑", "↓", "Enter"], does: "In the search: select a result and open or run it" },
  { keys: ["j", "k"], does: "In a list: go to the next or the previous row" },
  { keys: ["x"], does: "In a list: select the row" },
  { keys: ["Enter"], does: "In a list: open the row" },
  { keys: ["/"], does: "In a list: search the list" },
  { keys: ["Ctrl Shift C", "Ctrl Shift V", "Ctrl Shift F"], does: "In a terminal: copy, paste, search" },
  { keys: ["Ctrl Shift Home"], does: "In a terminal: go to the buttons" },
  { keys: ["Esc"], does: "Close the search or a dialog" },
  { keys: ["?"], does: "Show this page" },
  { keys: ["Tab"], does: "Go to the next control; the first one on a page skips to its content" },
];

const refusalHandled = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    const isOff = isCallError(error) && error.status === 404;
    toast.error(isOff ? "The API documentation is disabled on this server." : messageOf(error));
  }
};

/** Fetches the page and opens it in a new tab, because a link cannot send the sign-in token. */
const openApiPage = () =>
  refusalHandled(async () => {
    const page = await download(readApiPage);
    const url = URL.createObjectURL(page);
    if (window.open(url, "_blank") === null) saveFile("strongroom-api.html", page);
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });

const saveOpenApi = () => refusalHandled(async () => saveFile("strongroom-openapi.json", await download(readOpenApi)));

export default function HelpPage() {
  return (
    <>
      <PageHeader title="Help" subtitle="Keyboard shortcuts, first steps and how to verify the audit trail." />
      <Stack gap="md" maw="52rem">
        <SectionCard title="Keyboard Shortcuts">
          <dl className={classes.keys}>
            {SHORTCUTS.map(({ keys, does }) => (
              <div key={does}>
                <dt>
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </SectionCard>
        <SectionCard title="Your First Credential">
          <List type="ordered" spacing={4}>
            <List.Item>
              Open the{" "}
              <Anchor component={Link} to={paths.vault} underline="always">
                Credential Vault
              </Anchor>{" "}
              and choose Add Credential.
            </List.Item>
            <List.Item>Enter the address of the system, the user name and the secret.</List.Item>
            <List.Item>
              Choose Verify Now. Strongroom logs in to the real system and shows whether the secret works and, if not,
              why.
            </List.Item>
            <List.Item>Choose Copy when you need the secret. Each copy is recorded in the audit trail first.</List.Item>
          </List>
        </SectionCard>
        <SectionCard title="How Password Rotation Works">
          <Stack gap="sm">
            <Text>
              Choose Rotate Password. Strongroom generates and stores a new password, sets it on the target system,
              verifies it with a new login, and only then activates it. The journal on the page of the credential or
              account shows each step as it happens.
            </Text>
            <Text>
              If the system gives no clear answer, Strongroom finds out which password is active. If it cannot continue,
              the rotation shows Needs attention, the reason and what to do. No password is lost: every stored password
              is kept.
            </Text>
          </Stack>
        </SectionCard>
        <SectionCard title="How the Audit Trail Is Protected">
          <Stack gap="sm">
            <Text>
              Every action that reveals or changes something writes an audit entry in the same transaction. If the entry
              cannot be written, the action fails.
            </Text>
            <Text>
              The entries are the leaves of a Merkle tree. About once a second the server extends the tree and signs its
              root: a checkpoint. With an earlier checkpoint you can prove that no entry before it was changed, removed
              or reordered, without trusting the server.
            </Text>
            <Text>
              Export the trail from{" "}
              <Anchor component={Link} to={paths.auditLogs} underline="always">
                Audit Logs
              </Anchor>{" "}
              and verify it on any machine with the public key shown on that page:
            </Text>
            <CodeBlock label="command" code="npx strongroom audit verify FILE --key PUB" isWrapped />
          </Stack>
        </SectionCard>
        <SectionCard title="More Documentation">
          <List spacing={4}>
            <List.Item>
              <Anchor component="button" type="button" underline="always" onClick={() => void openApiPage()}>
                The API
              </Anchor>
              : every call, its permissions and its audit events. Machine-readable:{" "}
              <Anchor component="button" type="button" underline="always" onClick={() => void saveOpenApi()}>
                OpenAPI document
              </Anchor>
              .
            </List.Item>
            <List.Item>
              The docs folder of the installation: operations, threat model, how to add a connector.
            </List.Item>
          </List>
        </SectionCard>
      </Stack>
    </>
  );
}
