export default function NotFound() {
  return (
    <div className="sign-in">
      <div className="card">
        <h1>There is no such page</h1>
        <p className="say">
          Perhaps what it showed is gone.{" "}
          <a href="/">
            <b>To the overview</b>
          </a>
        </p>
      </div>
    </div>
  );
}
