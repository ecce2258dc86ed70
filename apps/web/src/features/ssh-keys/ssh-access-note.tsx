// Where SSH clients connect: the gateway's host key, the lines for OpenSSH's files, and an example.
import { knownHostsLineOf, sshConfigOf } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import classes from "./ssh-keys.module.css";
import { sshAccess } from "./ssh-keys.queries.ts";

export function SshAccessNote() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className={classes.note}>
      <DisclosureButton label="How to connect" isOpen={isOpen} onChange={setIsOpen} controls="ssh-access" />
      <div id="ssh-access" hidden={!isOpen}>
        {isOpen && <Access />}
      </div>
    </div>
  );
}

function Access() {
  const access = useQuery(sshAccess);
  return (
    <Loaded query={access} loadingText="Loading the gateway's address...">
      {(facts) =>
        facts.gateways.length === 0 ? (
          <p className={classes.text}>No gateway serves SSH clients now. Ask an administrator.</p>
        ) : (
          <>
            <p className={classes.text}>Fingerprint of the gateway's host key:</p>
            <CodeBlock code={facts.fingerprint ?? ""} label="host key fingerprint" isWrapped />
            <p className={classes.text}>
              Add this line to <code>~/.ssh/known_hosts</code>:
            </p>
            <CodeBlock code={knownHostsLineOf(facts)} label="known hosts line" isWrapped />
            <p className={classes.text}>
              Add these lines to <code>~/.ssh/config</code>:
            </p>
            <CodeBlock code={sshConfigOf(facts)} label="SSH configuration" />
            <p className={classes.text}>Then connect to an account by its name, with or without its host:</p>
            <CodeBlock code={"ssh ACCOUNT@strongroom\nssh ACCOUNT%HOST@strongroom"} label="examples" />
          </>
        )
      }
    </Loaded>
  );
}
