"use client";
import { useRouter } from "next/navigation";

type Props = React.ComponentProps<"a"> & { href: string };

/**
 * A link to another of our pages, which asks for nothing before it is followed: every page is made when it is asked for, so
 * there is little to have ready, and a list would ask once for each of its rows. Next's own link does more, for each of them.
 */
export function Link({ onClick, ...props }: Props) {
  const router = useRouter();
  return (
    <a
      {...props}
      onClick={(event) => {
        onClick?.(event);
        const isElsewhere =
          event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || props.target === "_blank";
        if (event.defaultPrevented || isElsewhere) return;
        event.preventDefault();
        router.push(props.href);
      }}
    />
  );
}
