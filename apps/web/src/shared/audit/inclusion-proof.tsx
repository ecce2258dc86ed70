// An entry's position in the tree, the hashes of its inclusion proof, and a download of both.
import { Button, Collapse } from "@mantine/core";
import { IconFileCertificate } from "@tabler/icons-react";
import type { AuditLog } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./trail.module.css";
import { evidenceDownload, inclusionProof } from "./audit.queries.ts";

export function InclusionProof({ entry }: { entry: AuditLog }) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  if (entry.leaf_index === null) return <span className={classes.waiting}>Waiting to be signed</span>;
  return (
    <>
      <DisclosureButton
        label="Proof"
        name={`Proof of ${entry.action}`}
        isOpen={isOpen}
        onChange={setIsOpen}
        controls={id}
      />
      <Collapse expanded={isOpen} id={id} className={classes.proof}>
        {isOpen && <Proof entry={entry} />}
      </Collapse>
    </>
  );
}

function Proof({ entry }: { entry: AuditLog }) {
  const proof = useQuery(inclusionProof(entry.id));
  const { mutate, isPending } = useMutation(evidenceDownload(useQueryClient()));
  const save = () =>
    mutate(entry.id, { onError: (error) => toast.error(`Failed to download the evidence: ${messageOf(error)}`) });
  return (
    <Loaded query={proof}>
      {(shown) => (
        <div className={classes.facts}>
          <Facts
            facts={[
              { name: "Leaf index", value: shown.leaf_index.toLocaleString() },
              { name: "Tree size", value: shown.tree_size.toLocaleString() },
              { name: "Leaf hash", value: <code className={classes.hash}>{shown.leaf_hash}</code> },
              { name: "Root hash", value: <code className={classes.hash}>{shown.root_hash}</code> },
            ]}
          />
          <p className={classes.label}>Hashes from the leaf to the root</p>
          <ol className={classes.hashes}>
            {shown.hashes.map((hash) => (
              <li key={hash}>
                <code className={classes.hash}>{hash}</code>
              </li>
            ))}
          </ol>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconFileCertificate size={15} aria-hidden />}
            aria-label={`Download evidence of ${entry.action}`}
            onClick={save}
            loading={isPending}
          >
            Download Evidence
          </Button>
        </div>
      )}
    </Loaded>
  );
}
