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
  { keys: ["Ctrl K", "⌘ K", "/"], does: "Search everything that you may see" },
  { keys: ["↑", "↓", "Enter"], does: "In the search: choose, and go there or do it" },
  { keys: ["Esc"], does: "Close the search or a dialog" },
  { keys: ["Tab"], does: "Go to the next control; the first one on a page skips to its content" },
];

const toldWhenRefused = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    const isOff = isCallError(error) && error.status === 404;
    toast.error(isOff ? "The API documentation is switched off on this server." : messageOf(error));
  }
};

/** Fetches the page and opens it in a new tab, because a link cannot send the sign-in token. */
const openApiPage = () =>
  toldWhenRefused(async () => {
    const page = await download(readApiPage);
    const url = URL.createObjectURL(page);
    if (window.open(url, "_blank") === null) saveFile("strongroom-api.html", page);
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });

const saveOpenApi = () => toldWhenRefused(async () => saveFile("strongroom-openapi.json", await download(readOpenApi)));

export default function HelpPage() {
  return (
    <>
      <PageHeader title="Help" subtitle="How to find your way, and how to prove what happened." />
      <Stack gap="md" maw="52rem">
        <SectionCard title="Keyboard shortcuts">
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
        <SectionCard title="The first credential">
          <List type="ordered" spacing={4}>
            <List.Item>
              Open the{" "}
              <Anchor component={Link} to={paths.vault} underline="always">
                Credential Vault
              </Anchor>{" "}
              and choose Add Credential.
            </List.Item>
            <List.Item>Say where the system is, who signs in there, and with which secret.</List.Item>
            <List.Item>
              Choose Verify Now. Strongroom signs in to the real system and tells you whether the secret works, and if
              not, why.
            </List.Item>
            <List.Item>Choose Copy when you need the secret. The copy is on record before you have it.</List.Item>
          </List>
        </SectionCard>
        <SectionCard title="How a password is changed">
          <Stack gap="sm">
            <Text>
              Choose Rotate Password. Strongroom makes up a new password and stores it before the system hears of it,
              has it set there, proves it by a fresh login, and only then puts it in force. The journal on the page of
              the credential or account tells each step as it happens.
            </Text>
            <Text>
              When the system does not answer clearly, Strongroom finds out which password is in force. When it cannot
              go on by itself, the rotation says Needs attention, why, and what to do. No password is lost: every one
              that was stored is kept.
            </Text>
          </Stack>
        </SectionCard>
        <SectionCard title="How proof works">
          <Stack gap="sm">
            <Text>
              Whatever reveals or changes something writes an entry to the audit trail in the same step. If the entry
              cannot be written, the step does not happen.
            </Text>
            <Text>
              The entries are the leaves of a Merkle tree. About once a second the server extends the tree and signs its
              root: a checkpoint. Who holds an earlier checkpoint can prove that nothing behind it was changed, removed
              or reordered, without trusting the server.
            </Text>
            <Text>
              Export the trail from{" "}
              <Anchor component={Link} to={paths.auditLogs} underline="always">
                Audit Logs
              </Anchor>{" "}
              and check it on any machine, with the public key that the page shows:
            </Text>
            <CodeBlock label="command" code="npx strongroom audit verify FILE --key PUB" isWrapped />
          </Stack>
        </SectionCard>
        <SectionCard title="Read on">
          <List spacing={4}>
            <List.Item>
              <Anchor component="button" type="button" underline="always" onClick={() => void openApiPage()}>
                The API
              </Anchor>
              : every call, what it needs and what it records. For programs:{" "}
              <Anchor component="button" type="button" underline="always" onClick={() => void saveOpenApi()}>
                OpenAPI document
              </Anchor>
              .
            </List.Item>
            <List.Item>The folder docs beside the program: operations, threat model, how to add a connector.</List.Item>
          </List>
        </SectionCard>
      </Stack>
    </>
  );
}
