type Props = {
  title: React.ReactNode;
  note?: React.ReactNode;
  aside?: React.ReactNode;
  id?: string;
  className?: string;
  children: React.ReactNode;
};

export function Card({ title, note, aside, id, className = "", children }: Props) {
  return (
    <section className={`card ${className}`} id={id} aria-label={typeof title === "string" ? title : undefined}>
      <header>
        <h2>
          {title} {note !== undefined && <small>{note}</small>}
        </h2>
        <span className="space" />
        {aside}
      </header>
      {children}
    </section>
  );
}
