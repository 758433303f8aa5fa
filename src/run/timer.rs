//! A timer finer than that of the runtime, which knows whole milliseconds: a schedule of thousands of requests a second
//! needs better.

use std::io;
#[cfg(not(target_os = "linux"))]
use std::time::Duration;

#[cfg(target_os = "linux")]
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
#[cfg(target_os = "linux")]
use tokio::net::unix::pipe::Receiver;

use crate::record::Micros;

/// A timer of the system, which becomes readable when it expires. The runtime reads it as it reads a pipe.
#[cfg(target_os = "linux")]
pub(super) struct Timer(Receiver);

#[cfg(target_os = "linux")]
impl Timer {
    /// Must be called on the runtime.
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Self(Receiver::from_owned_fd_unchecked(timer)?))
    }

    /// Waits for so long, and some ten microseconds more.
    pub(super) async fn sleep(&self, micros: Micros) -> io::Result<()> {
        let seconds = i64::try_from(micros / 1_000_000).unwrap_or(i64::MAX);
        // Below a thousand million, which fits any type.
        let nanos = i64::try_from(micros % 1_000_000 * 1000).unwrap_or(0);
        let once = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            // Zero would switch the timer off.
            it_value: Timespec { tv_sec: seconds, tv_nsec: nanos.max(1) as _ },
        };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once)?;
        loop {
            self.0.readable().await?;
            match self.0.try_read(&mut [0; 8]) {
                Ok(_) => return Ok(()),
                // That was the end of a wait before.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A timer.
#[cfg(not(target_os = "linux"))]
pub(super) struct Timer;

#[cfg(not(target_os = "linux"))]
impl Timer {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for so long, up to a whole millisecond.
    pub(super) async fn sleep(&self, micros: Micros) -> io::Result<()> {
        tokio::time::sleep(Duration::from_micros(micros)).await;
        Ok(())
    }
}
