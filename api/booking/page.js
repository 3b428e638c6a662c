// Shows times in the visitor's time zone. Without this script they are those of the company.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const times = document.querySelector("[data-zone]");
if (times !== null && zone !== undefined && zone !== times.dataset.zone) {
  const inZone = (address) => {
    const url = new URL(address);
    url.searchParams.set("tz", zone);
    return url.href;
  };
  if (!new URL(location.href).searchParams.has("tz")) location.replace(inZone(location.href));
  for (const link of document.querySelectorAll("a[data-own-zone]")) {
    link.href = inZone(link.href);
    link.parentElement.hidden = false;
  }
}
