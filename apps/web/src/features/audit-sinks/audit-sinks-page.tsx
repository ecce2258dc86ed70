// Integrations (PLACE-03): destinations of the audit trail, and witnessing other installations' logs.
import { Button } from "@mantine/core";
import { IconLock, IconPlugConnected, IconPlus } from "@tabler/icons-react";
import type { AuditSink } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { useUser } from "#shared/session/session-store.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import classes from "./audit-sinks.module.css";
import { sinkList } from "./audit-sinks.queries.ts";
import { SinkCard } from "./sink-card.tsx";
import { AddSinkDialog, DeleteSinkDialog, EditSinkDialog } from "./sink-dialogs.tsx";
import { WitnessSection } from "./witness-section.tsx";

export default function IntegrationsPage() {
  const { role } = useUser();
  const [isAdding, setIsAdding] = useState(false);
  const addButton = role === "admin" && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsAdding(true)}>
      Add Sink
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Integrations"
        subtitle="Connect external identity, ticketing and logging systems"
        actions={addButton}
      />
      {role === "user" ? (
        <EmptyState icon={IconLock} title="Only administrators and managers can see integrations." />
      ) : (
        <Sinks
          canManage={role === "admin"}
          addButton={addButton}
          isAdding={isAdding}
          onAdded={() => setIsAdding(false)}
        />
      )}
    </>
  );
}

interface SinksProps {
  canManage: boolean;
  addButton: ReactNode;
  isAdding: boolean;
  onAdded: () => void;
}

function Sinks({ canManage, addButton, isAdding, onAdded }: SinksProps) {
  const list = useQuery(sinkList);
  const [dialog, setDialog] = useState<"edit" | "delete" | null>(null);
  const [chosen, setChosen] = useState<AuditSink | null>(null);
  const open = (which: "edit" | "delete", sink: AuditSink) => {
    setChosen(sink);
    setDialog(which);
  };
  const propsOf = (which: "edit" | "delete") => ({
    opened: dialog === which,
    onClose: () => setDialog((open) => (open === which ? null : open)),
  });
  const folder = list.data?.folder ?? "";
  return (
    <>
      <Loaded query={list} failureText="Failed to load integrations">
        {({ sinks }) =>
          sinks.length === 0 ? (
            <EmptyState
              icon={IconPlugConnected}
              title="No integrations yet"
              text="Send the audit trail to a SIEM, a webhook or a file, and its checkpoints to a witness."
              action={addButton}
            />
          ) : (
            <Groups sinks={sinks} onOpen={canManage ? open : null} />
          )
        }
      </Loaded>
      {list.data !== undefined && <WitnessSection canManage={canManage} />}
      <AddSinkDialog folder={folder} opened={isAdding} onClose={onAdded} />
      {chosen !== null && (
        <div key={chosen.id}>
          <EditSinkDialog sink={chosen} folder={folder} {...propsOf("edit")} />
          <DeleteSinkDialog sink={chosen} {...propsOf("delete")} />
        </div>
      )}
    </>
  );
}

interface GroupsProps {
  sinks: readonly AuditSink[];
  onOpen: ((dialog: "edit" | "delete", sink: AuditSink) => void) | null;
}

function Groups({ sinks, onOpen }: GroupsProps) {
  const cardsOf = (content: AuditSink["content"]) => sinks.filter((sink) => sink.content === content);
  return (
    <>
      <Part
        title="Audit Trail"
        sentence="Every entry, in log order, delivered at least once"
        none="No sink receives entries."
        sinks={cardsOf("entries")}
        onOpen={onOpen}
      />
      <Part
        title="Checkpoints"
        sentence="Signed states of the log. Copies kept elsewhere reveal a rewritten log"
        none="Checkpoints are not published. Anyone who controls the database could rewrite the trail unnoticed."
        sinks={cardsOf("checkpoints")}
        onOpen={onOpen}
      />
    </>
  );
}

function Part({
  title,
  sentence,
  none,
  sinks,
  onOpen,
}: GroupsProps & { title: string; sentence: string; none: string }) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <h2 className={classes.heading} id={id}>
        {title}
      </h2>
      <p className={classes.sentence}>{sentence}</p>
      {sinks.length === 0 ? (
        <p className={classes.none}>{none}</p>
      ) : (
        <ul className={classes.grid} aria-labelledby={id}>
          {sinks.map((sink) => (
            <li key={sink.id}>
              <SinkCard sink={sink} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
