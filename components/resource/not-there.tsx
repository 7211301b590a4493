import { kindPath, type ResourceRef } from "../paths";
import { Link } from "../ui/link";

/** A resource that the cluster does not have: said as such, with the ways on. */
export function NotThere({ kind, namespace, name, said }: ResourceRef & { said: string }) {
  return (
    <>
      <h1>{name}</h1>
      <p className="say" role="alert">
        {said} It may have been deleted, or not be made yet. Here is{" "}
        <Link href={kindPath(kind)}>
          <b>the list of its kind</b>
        </Link>
        {namespace && (
          <>
            , and here is{" "}
            <Link href={`/all?namespace=${encodeURIComponent(namespace)}`}>
              <b>all there is in {namespace}</b>
            </Link>
          </>
        )}
        .
      </p>
    </>
  );
}
