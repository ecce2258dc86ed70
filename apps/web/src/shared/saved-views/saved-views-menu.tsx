// "Views": the saved views of a list. Choosing one sets the filters, the order and the columns; the current ones can be saved.
import { ActionIcon, Button, Popover } from "@mantine/core";
import { IconBookmark, IconCheck, IconPlus, IconTrash, IconUsers } from "@tabler/icons-react";
import type { SavedView, ViewList } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SaveViewDialog } from "./save-view-dialog.tsx";
import { savedViews, viewDeletion } from "./saved-views.queries.ts";
import classes from "./saved-views.module.css";
import { useShownView } from "./use-shown-view.ts";
import { filtersIn } from "./view-filters.ts";

export interface SavedViewsMenuProps {
  list: ViewList;
  /** The columns that a saved view keeps; null for the default ones. */
  columns: readonly string[] | null;
}

export function SavedViewsMenu({ list, columns }: SavedViewsMenuProps) {
  const [params, setParams] = useSearchParams();
  const [isOpen, setIsOpen] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [doomed, setDoomed] = useState<SavedView | null>(null);
  const views = useQuery({ ...savedViews(list), enabled: isOpen });
  const client = useQueryClient();
  const shown = useShownView(list);
  const open = ({ filters }: SavedView) => {
    setParams(new URLSearchParams(filters));
    setIsOpen(false);
  };
  const askToDelete = (view: SavedView) => {
    setIsOpen(false);
    setDoomed(view);
  };
  const current = new URLSearchParams(params);
  if (columns !== null) current.set("columns", columns.join(","));
  return (
    <>
      <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={300} withinPortal={false} trapFocus>
        <Popover.Target>
          <Button
            variant={shown === undefined ? "default" : "light"}
            leftSection={<IconBookmark size={16} aria-hidden />}
            onClick={() => setIsOpen((before) => !before)}
            classNames={{ label: classes.label }}
          >
            {shown?.name ?? "Views"}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Views" className={classes.dropdown}>
          <Loaded query={views}>
            {({ views: all }) => (
              <>
                <Views
                  title="Your Views"
                  views={all.filter((view) => view.is_own)}
                  {...{ shown, open, onDelete: askToDelete }}
                />
                <Views
                  title="Shared with You"
                  views={all.filter((view) => !view.is_own)}
                  {...{ shown, open, onDelete: askToDelete }}
                />
                {all.length === 0 && <p className={classes.none}>Save filters and order to reopen them here.</p>}
              </>
            )}
          </Loaded>
          <Button
            variant="default"
            size="compact-md"
            leftSection={<IconPlus size={15} aria-hidden />}
            disabled={filtersIn(current) === null}
            onClick={() => {
              setIsOpen(false);
              setIsSaving(true);
            }}
          >
            Save Current View
          </Button>
        </Popover.Dropdown>
      </Popover>
      <SaveViewDialog
        list={list}
        filters={filtersIn(current) ?? {}}
        opened={isSaving}
        onClose={() => setIsSaving(false)}
      />
      {doomed !== null && (
        <DeleteDialog
          key={doomed.id}
          opened
          title="Delete View"
          mutation={viewDeletion(client, doomed.id)}
          done={({ message }) => message}
          failed="Failed to delete the view"
          onClose={() => setDoomed(null)}
        >
          <p>
            Delete the view <strong>{doomed.name}</strong>
            {doomed.is_shared ? " for everyone?" : "?"}
          </p>
        </DeleteDialog>
      )}
    </>
  );
}

interface ViewsProps {
  title: string;
  views: readonly SavedView[];
  shown: SavedView | undefined;
  open: (view: SavedView) => void;
  onDelete: (view: SavedView) => void;
}

function Views({ title, views, shown, open, onDelete }: ViewsProps) {
  if (views.length === 0) return null;
  return (
    <section>
      <h3 className={classes.title}>{title}</h3>
      <ul className={classes.views} aria-label={title}>
        {views.map((view) => (
          <li key={view.id} className={classes.view}>
            <button
              type="button"
              className={classes.open}
              aria-current={view.id === shown?.id}
              onClick={() => open(view)}
            >
              {view.id === shown?.id ? (
                <IconCheck size={15} aria-hidden />
              ) : view.is_shared ? (
                <IconUsers size={15} aria-hidden />
              ) : (
                <IconBookmark size={15} aria-hidden />
              )}
              <span className={classes.name}>{view.name}</span>
              {view.is_own && view.is_shared && <Tag>Shared</Tag>}
            </button>
            {view.can_delete && (
              <ActionIcon aria-label={`Delete view ${view.name}`} onClick={() => onDelete(view)}>
                <IconTrash size={15} aria-hidden />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
