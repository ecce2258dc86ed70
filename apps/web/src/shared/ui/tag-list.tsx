// Tags of an object on one line.
import { Tag } from "./tag.tsx";
import classes from "./tag.module.css";

export function TagList({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <span className={classes.list} title={tags.join(", ")}>
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  );
}
