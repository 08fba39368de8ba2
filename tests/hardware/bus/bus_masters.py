"""Bus masters for Amaranth's simulator, all with the same two calls."""

LIMIT = 200
"""A bus that has not answered after so many cycles never will."""


class AxiMaster:
    """Single AXI4-Lite transfers; ``lead`` delays W after AW (or AW after W, if negative)."""

    def __init__(self, ctx, bus, lead=0, patience=0):
        self.ctx, self.bus, self.lead, self.patience = ctx, bus, lead, patience

    async def write(self, address, data, strobe=0b1111):
        """Whether the write was refused."""
        ctx, bus = self.ctx, self.bus
        ctx.set(bus.awaddr, address)
        ctx.set(bus.wdata, data)
        ctx.set(bus.wstrb, strobe)
        open_channels = {"aw": max(0, -self.lead), "w": max(0, self.lead)}
        for cycle in range(LIMIT):
            for channel, start in open_channels.items():
                ctx.set(getattr(bus, f"{channel}valid"), cycle >= start)
            _, _, aw, w = await ctx.tick().sample(
                bus.awvalid & bus.awready, bus.wvalid & bus.wready
            )
            for channel, moved in (("aw", aw), ("w", w)):
                if moved:
                    ctx.set(getattr(bus, f"{channel}valid"), 0)
                    del open_channels[channel]
            if not open_channels:
                break
        assert not open_channels
        return await self._response("b", bus.bresp) != 0

    async def read(self, address):
        """The word, or None if the read was refused."""
        ctx, bus = self.ctx, self.bus
        ctx.set(bus.araddr, address)
        ctx.set(bus.arvalid, 1)
        await ctx.tick().until(bus.arready)
        ctx.set(bus.arvalid, 0)
        ctx.set(bus.rready, 0)
        response = await self._response("r", bus.rresp)
        word = self.last_data
        assert response in (0b00, 0b10)
        assert response == 0 or word == 0
        return None if response else word

    async def _response(self, channel, response):
        ctx, bus = self.ctx, self.bus
        valid, ready = getattr(bus, f"{channel}valid"), getattr(bus, f"{channel}ready")
        seen = []
        for cycle in range(LIMIT):
            ctx.set(ready, cycle >= self.patience)
            _, _, there, moved, code, data = await ctx.tick().sample(
                valid, valid & ready, response, bus.rdata
            )
            if there:
                seen.append((code, data if channel == "r" else 0))
            assert not seen or there
            if moved:
                ctx.set(ready, 0)
                assert len(set(seen)) == 1
                self.last_data = data
                return code
        raise AssertionError("no response")


class WishboneMaster:
    """Single accesses of a standard master, or of a pipelined one."""

    def __init__(self, ctx, bus, pipelined=False):
        self.ctx, self.bus, self.pipelined = ctx, bus, pipelined

    async def write(self, address, data, strobe=0b1111):
        """Whether the write was refused."""
        return (await self._access(address, 1, data, strobe))[0]

    async def read(self, address):
        """The word, or None if the read was refused."""
        refused, word = await self._access(address, 0, 0, 0b1111)
        assert not refused or word == 0
        return None if refused else word

    async def _access(self, address, writes, data, strobe):
        ctx, bus = self.ctx, self.bus
        for signal, value in (
            (bus.cyc_i, 1), (bus.stb_i, 1), (bus.we_i, writes), (bus.adr_i, address // 4),
            (bus.dat_i, data), (bus.sel_i, strobe),
        ):  # fmt: skip
            ctx.set(signal, value)
        for _ in range(LIMIT):
            _, _, stall, ack, err, word = await ctx.tick().sample(
                bus.stall_o, bus.ack_o, bus.err_o, bus.dat_o
            )
            assert not (ack and err)
            if self.pipelined and not stall:
                ctx.set(bus.stb_i, 0)
            if ack or err:
                ctx.set(bus.stb_i, 0)
                ctx.set(bus.cyc_i, 0)
                return bool(err), word
        raise AssertionError("no answer")
