// Text to copy character for character: keys, fingerprints, commands, JSON.
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import classes from "./code-block.module.css";
import { copyText } from "./copy.ts";
import { toast } from "./toast.ts";

export interface CodeBlockProps {
  code: string;
  /** The subject of the copy button's name: "Copy verifier key". */
  label: string;
  /** Wraps long lines, which otherwise scroll. */
  isWrapped?: boolean;
}

export function CodeBlock({ code, label, isWrapped = false }: CodeBlockProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = () =>
    copyText(code).then(
      () => setIsCopied(true),
      () => toast.error(`Failed to copy ${label}`),
    );

  return (
    <div className={classes.block}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways, so the keyboard must reach it */}
      <pre className={classes.code} data-wrapped={isWrapped} tabIndex={0} aria-label={label}>
        {code}
      </pre>
      <Tooltip label={isCopied ? "Copied" : `Copy ${label}`}>
        <ActionIcon className={classes.copy} aria-label={`Copy ${label}`} onClick={() => void copy()}>
          {isCopied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
