// Sends what a form of the page holds, and shows what came back.
"use strict";

// The page may be read at another address than the public one; calls go to where it came from.
const base = location.pathname.replace(/\/api\/docs\/?$/, "");

// The token of a login that was tried is what the other calls need: it goes into the field above them, and nowhere else.
function keepToken(token) {
  if (typeof token !== "string" || token === "") return;
  document.getElementById("token").value = token;
  document.getElementById("token-state").textContent = "The token of your login is set for the calls below.";
}

async function send(form) {
  const output = form.querySelector("output");
  const headers = {};
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const input of form.querySelectorAll("input[data-in]")) {
    const place = input.dataset.in;
    if (place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value === "") continue;
    else if (place === "query") query.set(input.name, input.value);
    else headers[input.name] = input.value;
  }
  if (form.dataset.token) headers.Authorization = `Bearer ${document.getElementById("token").value}`;
  const request = { method: form.dataset.method, headers, credentials: "omit" };
  const body = form.elements.namedItem("body");
  const file = form.elements.namedItem("file");
  const members = form.querySelectorAll("[data-member]");
  if (members.length > 0) {
    // The browser says the media type, with the boundary that it chose.
    request.body = new FormData();
    for (const member of members) {
      const value = member.files ? member.files[0] : member.value;
      if (value) request.body.append(member.name, value);
    }
  } else if (body) {
    headers["Content-Type"] = "application/json";
    request.body = body.value;
  } else if (file && file.files.length > 0) {
    headers["Content-Type"] = file.dataset.type;
    request.body = file.files[0];
  }
  const address = base + path + (query.size > 0 ? `?${query}` : "");
  output.textContent = "…";
  try {
    const response = await fetch(address, request);
    const type = response.headers.get("content-type") ?? "";
    let text = /json|text/.test(type) ? await response.text() : `(${type}, ${(await response.blob()).size} bytes)`;
    if (type.includes("json")) {
      const answer = JSON.parse(text);
      keepToken(answer.body?.access_token);
      text = JSON.stringify(answer, null, 2);
    }
    output.textContent = `${response.status} ${response.statusText}\n\n${text}`;
  } catch (error) {
    output.textContent = String(error);
  }
}

document.getElementById("access").addEventListener("submit", (event) => event.preventDefault());
for (const form of document.querySelectorAll("form[data-path]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
}
