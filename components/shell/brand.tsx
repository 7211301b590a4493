export function Brand() {
  return (
    <>
      <svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden>
        <circle cx="10" cy="10" r="8.6" />
        <circle cx="10" cy="10" r="4.6" />
        <g fill="currentColor" stroke="none">
          <circle cx="10" cy="10" r="1.4" />
          <circle cx="17" cy="5" r="1.7" />
          <circle cx="6" cy="12.4" r="1.3" />
        </g>
      </svg>
      Orrery
    </>
  );
}
