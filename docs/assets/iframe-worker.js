// Search where pages are opened as files: browsers start no worker from a file, so that a frame does its work.
// The theme's plugin "offline" asks for such a script under the name iframe-worker.
class FileWorker extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    this.ready = new Promise((resolve) => this.frame.addEventListener("load", resolve));
    const answer = "globalThis.postMessage = (data) => parent.postMessage(data, '*');";
    this.frame.srcdoc = `<script>${answer}</script><script src="${url}"></script>`;
    addEventListener("message", ({ source, data }) => {
      if (source === this.frame.contentWindow) this.dispatchEvent(new MessageEvent("message", { data }));
    });
    document.body.append(this.frame);
  }

  postMessage(data) {
    this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
  }

  terminate() {
    this.frame.remove();
  }
}

if (location.protocol === "file:") globalThis.Worker = FileWorker;
