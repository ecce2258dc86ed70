// SSH keys that open discovered accounts, and what each key reaches.
import { Button } from "@mantine/core";
import { IconKey, IconRoute } from "@tabler/icons-react";
import type { DiscoveredKey } from "@strongroom/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { searchOf } from "#shared/format/address.ts";
import { counted } from "#shared/format/text.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "../discovery.module.css";
import { keysFound } from "./privileges.queries.ts";
import { ReachDialog } from "./reach-dialog.tsx";

export function KeyList() {
  const [params] = useSearchParams();
  const search = searchOf(params);
  const query = useQuery({ ...keysFound(search), placeholderData: keepPreviousData });
  const [chosen, setChosen] = useState<DiscoveredKey | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="SSH keys">
        <AddressSearch label="Search SSH keys" placeholder="Search by comment or fingerprint" />
      </div>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              icon={IconKey}
              title="No SSH keys"
              text={
                search === undefined
                  ? "Public keys that scans find in authorized_keys appear here."
                  : "No key matches your search."
              }
            />
          ) : (
            <RowList label="SSH keys">
              {data.map((key) => (
                <KeyRow
                  key={key.fingerprint}
                  found={key}
                  onOpen={() => {
                    setChosen(key);
                    setIsOpen(true);
                  }}
                />
              ))}
            </RowList>
          )
        }
      </Loaded>
      {chosen !== null && (
        <ReachDialog
          start={{ key: chosen.fingerprint }}
          name={nameOf(chosen)}
          opened={isOpen}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

const nameOf = ({ comment, fingerprint }: DiscoveredKey) => comment ?? fingerprint;

function KeyRow({ found, onOpen }: { found: DiscoveredKey; onOpen: () => void }) {
  const { fingerprint, type, opens, systems, opens_full, found_private, is_unprotected } = found;
  return (
    <Row
      name={
        <>
          <span>{nameOf(found)}</span>
          {systems > 1 && <Tag tone="warning">Shared</Tag>}
          {opens_full > 0 && <Tag tone="danger">Full control</Tag>}
          {is_unprotected && <Tag tone="danger">Private key without passphrase</Tag>}
        </>
      }
      actions={
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Show paths of ${nameOf(found)}`}
          leftSection={<IconRoute size={15} aria-hidden />}
          onClick={onOpen}
        >
          Show Paths
        </Button>
      }
    >
      <RowDetail>
        {`Opens ${counted(opens, "account")} on ${counted(systems, "system")}, ${opens_full.toLocaleString()} with full control. `}
        {found_private === 0
          ? "No scan found the private key."
          : `Private key found in ${counted(found_private, "file")}.`}
      </RowDetail>
      <RowDetail>{`${type ?? "Key"} · ${fingerprint}`}</RowDetail>
    </Row>
  );
}
